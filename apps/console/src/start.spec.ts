import { createLogger } from '@agent-wallet/platform';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type RunningConsole, startConsole } from './start.js';

let server: RunningConsole;
let logged: string[];

beforeEach(async () => {
  logged = [];
  const write = (line: string) => void logged.push(line);
  const logger = createLogger('console', 'error', { write });
  const facts = { apiUrl: 'http://localhost:8080', network: 'sandbox', sandboxAdminUrl: 'http://localhost:1' };
  server = await startConsole({ address: '127.0.0.1:0', logger }, () => facts);
});
afterEach(() => server.stop());

const ask = (path: string, init: RequestInit = {}) => fetch(`http://${server.address}${path}`, init);

async function open(text: string): Promise<Socket> {
  const socket = connect(Number(server.address.split(':').at(-1)), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

describe('the console’s server', () => {
  it.each(['bytes=5-2', 'bytes=0-3', 'bytes=-1', 'bytes=99999999-', 'x'])(
    'answers in whole to the range %s',
    async (range) => {
      const whole = await (await ask('/')).text();
      const response = await ask('/', { headers: { range } });
      expect([response.status, await response.text()]).toEqual([200, whole]);
    },
  );

  it.each(['/..%2f..%2fpackage.json', '/%2e%2e/%2e%2e/package.json', '//etc/passwd', '/%00', '/%'])(
    'serves its own files alone: %s',
    async (path) => {
      const response = await ask(path);
      expect(await response.text()).not.toMatch(/"private"|root:/);
      expect([200, 400, 404]).toContain(response.status);
    },
  );

  it('stops although a client holds a request open', async () => {
    const socket = await open(
      'POST /sandbox/faucet HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
    );
    socket.on('error', () => undefined);
    const closed = once(socket, 'close');
    await server.stop();
    await closed;
  });

  it('logs nothing of a client that leaves in the middle of its request', async () => {
    const socket = await open(
      'POST /sandbox/faucet HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
    );
    socket.destroy();
    await ask('/healthz');
    await server.stop();
    expect(logged).toEqual([]);
  });

  it.each([
    ['text/plain', 415],
    ['application/json; charset=utf-8', 502],
  ])('takes a request for test money of the type %s with %d', async (type, status) => {
    const response = await ask('/sandbox/faucet', { method: 'POST', headers: { 'content-type': type }, body: '{}' });
    expect(response.status).toBe(status);
  });
});
