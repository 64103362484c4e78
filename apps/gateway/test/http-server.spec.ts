import { eventually } from '@agent-wallet/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerBadHttp, createHttpServer, HTTP_TIMEOUTS, type HttpTimeouts } from '../src/http/http-server.js';
import { exchange, parted, RawConnection } from './raw-connection.js';

const QUICK: HttpTimeouts = { ...HTTP_TIMEOUTS, requestMs: 250 };
const GET = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
const POST = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n';

const servers: Server[] = [];
const connections: RawConnection[] = [];
afterEach(() => {
  for (const { socket } of connections.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** Serves as the gateway does, with a handler of the test. */
async function serve(handle: RequestListener, timeouts = QUICK): Promise<{ server: Server; url: string }> {
  const server = createHttpServer(handle, timeouts).on('clientError', answerBadHttp);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function open(url: string): Promise<RawConnection> {
  const connection = await RawConnection.open(url);
  connections.push(connection);
  return connection;
}

/** Resolves when a request that never becomes whole has been abandoned: everything else has waited as long. */
async function oneTimeout(url: string): Promise<void> {
  expect(await exchange(url, 'GET / HTTP/1.1\r\n')).toContain('did not arrive in time');
}

const nobodyIsConnected = (server: Server) => () =>
  new Promise<boolean>((resolve) => server.getConnections((_, count) => resolve(count === 0)));

const read: RequestListener = (request, response) => {
  request.resume().on('error', () => undefined);
  request.on('end', () => response.end('whole'));
};

describe('a request that is not sent to its end', () => {
  it.each([
    ['half a header', 'GET / HTTP/1.1\r\nhost: x\r\nx: y'],
    ['half a body', `${POST}12345`],
  ])('but %s, times out with the envelope, and its connection closes', async (_, bytes) => {
    const { server, url } = await serve(read);
    const connection = await open(url);
    const startedAtMs = performance.now();
    const { status, headers, body } = parted(await connection.send(bytes).ended);
    expect(performance.now() - startedAtMs).toBeGreaterThan(240);
    expect(status).toBe(400);
    const { data } = JSON.parse(body);
    expect(data).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'request', reason: 'did not arrive in time' }],
    });
    expect(headers).toMatchObject({ 'x-request-id': data.requestId, connection: 'close' });
    await eventually(nobodyIsConnected(server)); // though the client has closed nothing
  });

  it('and of which nothing has come, gets no answer: the next request of the connection would take it for its own', async () => {
    const { server, url } = await serve(read);
    const connection = await open(url);
    expect(await connection.ended).toBe('');
    await eventually(nobodyIsConnected(server));
  });

  it('is abandoned at the time limit even if its bytes keep trickling in', async () => {
    const { url } = await serve(read);
    const connection = await open(url);
    connection.send(POST);
    const dropping = setInterval(() => connection.send('.'), 60);
    expect(await connection.ended).toContain('did not arrive in time');
    clearInterval(dropping);
  });

  it.each([
    ['answered', 'end'],
    ['being answered', 'write'],
  ] as const)('though it is %s already, gets no second answer', async (_, respond) => {
    const { url } = await serve((_request, response) => void response[respond]('too large'));
    const text = await exchange(url, POST);
    expect(parted(text).body).toContain('too large');
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });
});

describe('a connection', () => {
  it('may wait for an answer, and for its next request, longer than a request may take to arrive', async () => {
    const finish: Array<() => void> = [];
    const { url } = await serve((_request, response) => finish.push(() => response.end('late')));
    const connection = await open(url);
    connection.send(GET);
    await eventually(() => finish.length === 1);
    await oneTimeout(url);
    finish[0]?.();
    await eventually(() => connection.received.endsWith('late'));
    await oneTimeout(url);
    connection.send(GET);
    await eventually(() => finish.length === 2);
    finish[1]?.();
    await eventually(() => connection.received.match(/HTTP\/1\.1 200[^]*?late/g)?.length === 2);
  });

  it('ends when its client does not read the answer', async () => {
    const timeouts = { ...QUICK, silenceMs: 200 };
    const { server, url } = await serve((_request, response) => response.end(Buffer.alloc(32 << 20)), timeouts);
    const connection = await open(url);
    connection.socket.pause();
    connection.send(GET);
    await eventually(async () => !(await nobodyIsConnected(server)()));
    await eventually(nobodyIsConnected(server));
  });

  it.each([
    ['nonsense', 'NONSENSE\r\n\r\n'],
    ['a request that does not come to its end', POST],
  ])('with %s behind a request under way is cut: any answer would be taken for that request’s', async (_, bytes) => {
    let asked = 0;
    const { url } = await serve(() => (asked += 1));
    const connection = await open(url);
    connection.send(GET);
    await eventually(() => asked === 1);
    expect(await connection.send(bytes).ended).toBe('');
  });

  it('gets an error when it sends nonsense after a response', async () => {
    const { url } = await serve(read);
    const connection = await open(url);
    connection.send(GET);
    await eventually(() => connection.received.endsWith('whole'));
    expect(await connection.send('NONSENSE\r\n\r\n').ended).toContain('is not valid HTTP');
  });

  it('does no harm when it is reset after CONNECT', async () => {
    let asked = 0;
    const { server, url } = await serve(() => (asked += 1));
    const connection = await open(url);
    connection.send('CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n');
    await eventually(() => asked === 1);
    connection.socket.resetAndDestroy();
    await eventually(nobodyIsConnected(server));
  });
});
