import { once } from 'node:events';
import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { boundConnections } from '../src/http/connections.js';
import { answerBadHttp, closeSilent, createHttpServer, HTTP_TIMEOUTS } from '../src/http/http-server.js';
import { parted, RawConnection } from './raw-connection.js';
import { World } from './world.js';

// Two networks of one machine: Linux has all of 127.0.0.0/8.
const ONE = '127.0.0.1';
const OTHER = '127.0.0.2';
const GET = 'GET /skill.md HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
const SLOW = 'POST /connect/start HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{';

const connections: RawConnection[] = [];
const servers: Server[] = [];
afterEach(() => {
  for (const { socket } of connections.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function open(url: string, from = ONE): Promise<RawConnection> {
  const connection = await RawConnection.open(url, from);
  connections.push(connection);
  return connection;
}

/** The status of a request of its own connection; undefined when it was closed without a response. */
async function statusOf(url: string, from = ONE): Promise<number | undefined> {
  const text = await (await open(url, from)).send(GET).ended;
  return text === '' ? undefined : parted(text).status;
}

/** Serves as the gateway does, with these bounds. */
async function serve(total: number, perNetwork: number, trustedProxies: readonly string[] = []): Promise<string> {
  const server = createHttpServer((_request, response) => response.end('served'), HTTP_TIMEOUTS);
  servers.push(boundConnections(server, { total, perNetwork }, trustedProxies).on('clientError', answerBadHttp));
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  return `http://${ONE}:${(server.address() as AddressInfo).port}`;
}

const openMany = (count: number, url: string, from = ONE) =>
  Promise.all(Array.from({ length: count }, () => open(url, from)));

it('connections that have sent nothing do not hold up a server that stops, and one with a request stays', async () => {
  const url = await serve(100, 50);
  const server = servers.at(-1)!;
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => sockets.push(socket));
  const [silent, slow] = [await open(url), await open(url)];
  slow.send(SLOW);
  await eventually(() => sockets.length === 2 && sockets.some(({ bytesRead }) => bytesRead > 0));
  const closed = once(server.close(), 'close');
  closeSilent(server);
  expect(await silent.ended).toBe('');
  expect(sockets.filter(({ destroyed }) => !destroyed)).toHaveLength(1);
  slow.socket.destroy();
  await closed;
});

describe('connections of one network', () => {
  it('beyond its share get a 503 and are closed, and those of another network are served', async () => {
    const url = await serve(100, 3);
    await openMany(3, url);
    const { status, headers, body } = parted(await (await open(url)).ended);
    expect(status).toBe(503);
    expect(headers).toMatchObject({ connection: 'close', 'x-content-type-options': 'nosniff' });
    expect(JSON.parse(body)).toMatchObject({
      statusCode: 503,
      data: { code: 'SERVICE_UNAVAILABLE', requestId: headers['x-request-id'], retryable: true },
    });
    expect(await statusOf(url, OTHER)).toBe(200);
  });

  it('count until they are closed', async () => {
    const url = await serve(100, 2);
    const [first] = await openMany(2, url);
    expect(await statusOf(url)).toBe(503);
    first!.socket.destroy();
    await eventually(async () => (await statusOf(url)) === 200);
  });

  it.each([[ONE], ['127.0.0.0/30'], ['10.0.0.0/24', ONE]])('are not bounded for the proxies %s', async (...proxies) => {
    const url = await serve(100, 2, proxies);
    await openMany(5, url);
    expect(await statusOf(url)).toBe(200);
  });

  it('are bounded for a network that the list of proxies does not name', async () => {
    const url = await serve(100, 2, [OTHER]);
    await openMany(2, url);
    expect(await statusOf(url)).toBe(503);
  });
});

describe('all connections', () => {
  it('beyond the total are closed without a response, from any network', async () => {
    const url = await serve(3, 100, [ONE]);
    const [first] = await openMany(3, url);
    expect(await statusOf(url, OTHER)).toBeUndefined();
    first!.socket.destroy();
    await eventually(async () => (await statusOf(url, OTHER)) === 200);
  });
});

describe('a gateway', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({
      host: '0.0.0.0',
      trustedProxies: [],
      connectionLimits: { total: 300, perNetwork: 200 },
    });
  });
  afterAll(() => world.close());

  it('serves another network while one sends 400 bodies slowly', async () => {
    const { port } = new URL(world.client.url);
    const url = `http://${ONE}:${port}`;
    const slow = await openMany(400, url);
    for (const connection of slow) connection.send(SLOW);
    await eventually(() => slow.filter(({ received }) => received.includes('HTTP/1.1 503')).length >= 200);
    expect(await statusOf(url, OTHER)).toBe(200);
    expect(await statusOf(url)).toBe(503);
    expect(slow.filter(({ received }) => received !== '').length).toBeLessThanOrEqual(201);
  });
});
