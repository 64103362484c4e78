import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RawConnection } from './raw-connection.js';
import { World } from './world.js';

const GET = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

describe('a gateway that stops', () => {
  it('still answers on a connection that was open, and says that it ends', async () => {
    // Longer than a test may take: the stop must not wait for its end.
    const gateway = await world.start({ drainMs: 3_600_000 });
    const connection = await RawConnection.open(gateway.url);
    connection.send(GET);
    await eventually(() => connection.received.includes('200 OK'));
    const stopped = gateway.stop();
    const before = connection.received.length;
    connection.send(GET);
    const answer = (await connection.ended).slice(before);
    expect(answer).toContain('200 OK');
    expect(answer.toLowerCase()).toContain('connection: close');
    connection.socket.destroy();
    await stopped;
  });

  it('cuts idle connections once that time is over', async () => {
    const gateway = await world.start({ drainMs: 200 });
    const connection = await RawConnection.open(gateway.url);
    connection.send(GET);
    await eventually(() => connection.received.includes('200 OK'));
    await gateway.stop();
    await connection.ended;
    connection.socket.destroy();
  });
});
