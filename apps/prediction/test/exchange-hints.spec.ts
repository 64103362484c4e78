import { silent } from '@agent-wallet/platform/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constants, verify } from 'node:crypto';
import { systemClock } from '@agent-wallet/kernel';
import { type WebSocket, WebSocketServer } from 'ws';
import { HintSocket } from '../src/adapters/exchange/hint-socket.js';
import { testKey } from './kalshi-server.js';

const PATH = '/trade-api/ws/v2';

let server: WebSocketServer;
let hints: HintSocket;
/** Settles with the next hint. */
let hinted: () => Promise<void>;
let connected: Promise<[WebSocket, IncomingMessage]>;

beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1', path: PATH });
  await once(server, 'listening');
  connected = once(server, 'connection') as typeof connected;
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`;
  hints = new HintSocket({ url, key: testKey, clock: systemClock, logger: silent, retryMs: 20, silenceMs: 300 });
  let count = 0;
  let tell = () => undefined as void;
  hints.onHint(() => {
    count += 1;
    tell();
  });
  hinted = async () => {
    if (count === 0) await new Promise<void>((resolve) => (tell = resolve));
    count = 0;
  };
});
afterEach(async () => {
  hints.close();
  for (const client of server.clients) client.terminate();
  await new Promise((resolve) => server.close(resolve));
});

/** Reads the subscription, and says that it is there. */
async function subscribed(): Promise<WebSocket> {
  const [socket] = await connected;
  const [text] = (await once(socket, 'message')) as [Buffer];
  expect(JSON.parse(text.toString())).toMatchObject({
    cmd: 'subscribe',
    params: { channels: ['market_lifecycle_v2'] },
  });
  socket.send(JSON.stringify({ id: 1, type: 'subscribed', msg: { channel: 'market_lifecycle_v2', sid: 1 } }));
  return socket;
}

describe('the stream of the exchange', () => {
  it('is opened with a signature, and hints at once: something may have been missed', async () => {
    const [, { headers }] = await connected;
    const key = { key: testKey.publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
    const text = Buffer.from(`${String(headers['kalshi-access-timestamp'])}GET${PATH}`);
    const signature = Buffer.from(String(headers['kalshi-access-signature']), 'base64');
    expect(verify('sha256', text, key, signature)).toBe(true);
    await subscribed();
    await hinted();
  });

  it.each([
    { type: 'market_lifecycle_v2', msg: { event_type: 'determined' } },
    { type: 'market_lifecycle_v2', msg: { event_type: 'settled' } },
  ])('hints for %j', async (message) => {
    const socket = await subscribed();
    await hinted();
    socket.send('no json');
    socket.send(JSON.stringify(message));
    await hinted();
  });

  it('is opened again when it breaks off, and when it falls silent', async () => {
    (await subscribed()).terminate();
    for (let i = 0; i < 2; i += 1) {
      connected = once(server, 'connection') as typeof connected;
      // The second of these sockets never says a word: it is abandoned.
      await subscribed();
      await hinted();
    }
  });
});
