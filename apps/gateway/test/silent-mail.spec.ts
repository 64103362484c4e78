import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Secret } from '@agent-wallet/kernel';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { MAIL_BOUNDS } from '../src/adapters/smtp-mailer.js';
import { World } from './world.js';

/** How long a gateway takes at most to answer. */
const PROMISED_MS = 25_000;
const SENT_WITHIN_MS = 2_000;

let world: World;
const connections = new Set<Socket>();
/** Takes connections, and says nothing. */
const silent = createServer((socket) => connections.add(socket.on('error', () => undefined)));
beforeAll(async () => {
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const { port } = silent.address() as AddressInfo;
  const smtpUrl = new Secret(`smtp://127.0.0.1:${port}`);
  world = await World.open({ smtpUrl }, { mail: { ...MAIL_BOUNDS, sentWithinMs: SENT_WITHIN_MS } });
});
afterAll(async () => {
  connections.forEach((socket) => socket.destroy());
  await world.close();
  await new Promise((resolve) => silent.close(resolve));
});

it('a silent mail server holds back no answer for ever, and the codes wait for it', async () => {
  const asked = Array.from({ length: 40 }, (_, n) =>
    world.client.post('/connect/start', { email: `waiting${n}@example.com` }),
  );
  const answers = await Promise.all(asked);
  // The limit of production leaves time for the rest of an answer.
  expect(MAIL_BOUNDS.sentWithinMs).toBeLessThan(PROMISED_MS);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const { rows } = await world.database.pool.query('select from mail_queue');
  expect(rows).toHaveLength(40);
});
