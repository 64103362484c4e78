import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HTTP_TIMEOUTS } from '../src/http/http-server.js';
import { BARE_SECURITY_HEADERS } from '../src/http/security-headers.js';
import { startGateway } from '../src/index.js';
import type { CallOptions, Client } from './client.js';
import { expectFailure } from './expect-failure.js';
import { exchange, parted } from './raw-connection.js';
import { RATE_LIMITS, World } from './world.js';

let world: World;
let client: Client;
beforeAll(async () => {
  world = await World.open({
    rateLimits: { ...RATE_LIMITS, clientPerMinute: 10_000, agentPerMinute: 10_000 },
  });
  ({ client } = await world.login());
});
afterAll(() => world.close());

/** Headers of every answer that was counted. */
const EVERYWHERE = {
  'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
  'x-ratelimit-limit': '10000',
  'x-ratelimit-remaining': expect.stringMatching(/^\d+$/),
  'x-ratelimit-reset': expect.stringMatching(/^\d+$/),
  'x-content-type-options': 'nosniff',
  'strict-transport-security': expect.any(String),
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cache-control': 'no-store',
};

describe('a route', () => {
  it.each([
    '/nowhere',
    '/.refused',
    '/wallets/mine',
    '/wallets/me/balances/',
    '/WALLETS/me/balances',
    '//',
    '/wallets/../healthz',
  ])('%s does not exist', async (path) => {
    expectFailure(await client.get(path), 404, 'NOT_FOUND');
  });

  it.each([
    ['/%', 'is not correctly percent-encoded'],
    ['/wallets/me/history/%ff', 'is not correctly percent-encoded'],
    [`/${'%zz'.repeat(2_000)}`, 'is not correctly percent-encoded'],
    ['http://wallet.example.com/%zz', 'is not correctly percent-encoded'],
    ['*', 'must begin with a slash'],
    ['*healthz', 'must begin with a slash'],
    ['*wallets/me/policy', 'must begin with a slash'],
    ['ftp://x/healthz', 'must begin with a slash'],
  ])('%s cannot be read: a 400 like every other', async (path, reason) => {
    for (const method of ['GET', 'OPTIONS']) {
      const answer = await client.call(method, path, {});
      expectFailure(answer, 400, 'VALIDATION_ERROR');
      expect(answer.body.data.details).toEqual([{ field: 'path', reason, problem: 'invalid_format' }]);
      expect(answer.headers).toMatchObject(EVERYWHERE);
      expect(answer.headers['x-request-id']).toBe(answer.body.data.requestId);
    }
  });

  it('with a very long path returns a client error, never a 5xx', async () => {
    const path = `/wallets/me/history/${'x'.repeat(8_000)}`;
    expectFailure(await client.get(path), 404, 'NOT_FOUND');
    expectFailure(await world.client.get(path), 401, 'AUTHENTICATION_ERROR');
    expectFailure(await client.post(path), 405, 'METHOD_NOT_ALLOWED');
    expectFailure(await client.get(`/${'x'.repeat(40_000)}`), 400, 'VALIDATION_ERROR');
  });

  it('may be named with its host', async () => {
    expect((await client.get('http://wallet.example.com/healthz')).status).toBe(200);
  });

  it('names the methods it takes', async () => {
    const wrong: Array<[string, string, string]> = [
      ['POST', '/wallets/me/balances', 'GET, HEAD'],
      ['GET', '/wallets/me/actions/transfer', 'POST'],
      ['PUT', '/wallets/me/policy', 'GET, PATCH, HEAD'],
      ['DELETE', '/wallets/me/policy', 'GET, PATCH, HEAD'],
      ['OPTIONS', '/wallets/me/policy', 'GET, PATCH, HEAD'],
      ['TRACE', '/connect/start', 'POST'],
      ['PROPFIND', '/connect/start', 'POST'],
    ];
    for (const [method, path, allow] of wrong) {
      const answer = await client.call(method, path, {});
      expectFailure(answer, 405, 'METHOD_NOT_ALLOWED');
      expect(answer.headers.allow).toBe(allow);
    }
  });

  it('answers HEAD like GET, without the body', async () => {
    const answer = await client.call('HEAD', '/wallets/me/balances', {});
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(Number(answer.headers['content-length'])).toBeGreaterThan(100);
    expect((await world.client.call('HEAD', '/wallets/me/balances', {})).status).toBe(401);
  });
});

describe('every route', () => {
  const hostile: CallOptions[] = [
    { headers: { 'x-forwarded-for': 'unknown' } },
    { headers: { 'x-forwarded-for': ',,,' } },
    { headers: { 'x-forwarded-for': '1'.repeat(5_000) } },
    { headers: { authorization: 'Bearer' } },
    { headers: { authorization: `Bearer ${'.'.repeat(5_000)}` } },
    { headers: { 'x-request-id': 'chosen\tby the caller' } },
    { headers: { accept: 'text/nothing' } },
    { headers: { 'content-type': 'application/json', 'content-length': '0' } },
  ];
  it('answers hostile headers without a 5xx and with an id of its own', async () => {
    for (const path of ['/wallets/me/policy', '/connect/start', '/nowhere', '/skill.md']) {
      for (const options of hostile) {
        const answer = await client.call(path === '/connect/start' ? 'POST' : 'GET', path, options);
        expect(answer.status).toBeLessThan(500);
        expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
      }
    }
  });

  it('carries security headers and does not say what serves it', async () => {
    const answer = await client.get('/wallets/me/policy');
    expect(answer.headers).toMatchObject(EVERYWHERE);
    expect(answer.headers).not.toHaveProperty('x-powered-by');
    expect(answer.headers).not.toHaveProperty('server');
  });

  it.each([
    ['nonsense', 'NONSENSE\r\n\r\n'],
    ['a bad version', 'GET / HTTP/9.9\r\n\r\n'],
    ['a header without a name', 'GET /healthz HTTP/1.1\r\nhost: x\r\n: y\r\n\r\n'],
    ['huge headers', `GET /healthz HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`],
    ['two lengths', 'POST /connect/start HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}'],
    [
      'length and chunks',
      'POST /connect/start HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}',
    ],
  ])('answers %s with the envelope, an id, and the security headers of every answer', async (_, bytes) => {
    const { status, headers, body } = parted(await exchange(world.client.url, bytes));
    const { data, ...rest } = JSON.parse(body);
    expect([status, rest, data.code]).toEqual([400, expect.objectContaining({ statusCode: 400 }), 'VALIDATION_ERROR']);
    expect(headers).toMatchObject({ 'x-request-id': data.requestId, connection: 'close' });
    const ordinary = (await client.get('/wallets/me/policy')).headers;
    for (const name of Object.keys(BARE_SECURITY_HEADERS))
      expect([name, headers[name]]).toEqual([name, ordinary[name]]);
  });

  it.each([
    ['an expectation', 'POST /connect/start HTTP/1.1\r\nhost: x\r\nexpect: miracles\r\ncontent-length: 9\r\n\r\n', 400],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n', 405],
  ])('answers %s like every request, and closes', async (_, bytes, expected) => {
    const { status, headers, body } = parted(await exchange(world.client.url, bytes));
    expect([status, JSON.parse(body).statusCode]).toEqual([expected, expected]);
    expect(headers).toMatchObject({ ...EVERYWHERE, connection: 'close' });
    expect(headers.allow).toBe(expected === 405 ? '' : undefined);
  });

  it('ignores a wish to upgrade', async () => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
    expect((await client.get('/wallets/me/policy', { headers })).status).toBe(200);
  });

  it('answers a body that does not come, and is not held up by it', async () => {
    const timeouts = { ...HTTP_TIMEOUTS, requestMs: 250 };
    const gateway = await startGateway(world.settings, { clock: world.clock, httpTimeouts: timeouts });
    const start =
      'POST /connect/start HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{';
    const { status, body } = parted(await exchange(gateway.url, start));
    expect([status, JSON.parse(body).message]).toEqual([400, 'request did not arrive in time.']);
    await gateway.stop();
  });

  it('answers a request without a Host header', async () => {
    const text = await exchange(world.client.url, 'GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n');
    expect(parted(text).status).toBe(200);
  });
});
