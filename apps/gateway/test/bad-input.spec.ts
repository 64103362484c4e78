import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import type { CallOptions, Client, Reply } from './client.js';
import { RECIPIENT } from './default-script.js';
import { World } from './world.js';

let world: World;
let client: Client;
beforeAll(async () => {
  world = await World.open({
    rateLimits: { clientPerMinute: 10_000, agentPerMinute: 10_000, passcodesPerTenMinutes: 3, triesPerPasscode: 5 },
  });
  ({ client } = await world.login());
  world.script.wallet.transfer = () => {
    throw new Error('no bad request may get here');
  };
}, 60_000);
afterAll(() => world.close());

const TRANSFER = '/wallets/me/actions/transfer';

function expectFailure(answer: Reply, status: number, code: string): void {
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([status, expect.any(String)]);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.body).toMatchObject({
    status: false,
    statusCode: status,
    message: expect.any(String),
    data: { code, requestId: expect.stringMatching(/^[0-9a-f-]{36}$/), retryable: expect.any(Boolean) },
  });
}

describe('a body', () => {
  const bodies: Array<[string, string | Buffer]> = [
    ['cut off', '{"to":"x"'],
    ['no JSON', 'to=x&amount=1'],
    ['two values', '{} {}'],
    ['a lone quote', '"'],
    ['a comment', '{/* */}'],
    ['a trailing comma', '{"to":"x",}'],
    ['NaN', `{"to":"${RECIPIENT}","amount":NaN}`],
    ['Infinity', `{"to":"${RECIPIENT}","amount":Infinity}`],
    ['a plus sign', `{"to":"${RECIPIENT}","amount":+1}`],
    ['a leading zero', `{"to":"${RECIPIENT}","amount":01}`],
    ['a bare dot', `{"to":"${RECIPIENT}","amount":.5}`],
    ['hexadecimal', `{"to":"${RECIPIENT}","amount":0x10}`],
    ['a name twice', `{"to":"${RECIPIENT}","amount":1,"amount":2}`],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['UTF-16', Buffer.from('{"to":"x"}', 'utf16le')],
    ['half a character', `{"to":"\\ud800","amount":1}`],
    ['a null character', `{"to":"\\u0000","amount":1}`],
    ['a prototype', `{"__proto__":{"to":"${RECIPIENT}"},"amount":1}`],
    ['a constructor', `{"to":"${RECIPIENT}","amount":1,"constructor":{"prototype":{"x":1}}}`],
    ['toString', `{"to":"${RECIPIENT}","amount":1,"toString":1}`],
    ['an array', '[]'],
    ['null', 'null'],
    ['true', 'true'],
    ['a string', '"x"'],
    ['an empty string', ''],
    ['blanks', '   '],
    ['deep nesting', `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
    ['deep objects', `${'{"a":'.repeat(8_000)}1${'}'.repeat(8_000)}`],
    ['an object for a text', `{"to":{"$gt":""},"amount":1}`],
    ['an array for a number', `{"to":"${RECIPIENT}","amount":[1]}`],
    ['a long text', `{"to":"${'x'.repeat(60_000)}","amount":1}`],
  ];
  it.each(bodies)('that is %s is a 400', async (_, raw) => {
    expectFailure(await client.call('POST', TRANSFER, { raw }), 400, 'VALIDATION_ERROR');
  });

  it('may have 64 KiB and not a byte more', async () => {
    const fill = (bytes: number) => `{"memo":"${'x'.repeat(bytes - 11)}"}`;
    expectFailure(await client.call('POST', TRANSFER, { raw: fill(64 * 1024) }), 400, 'VALIDATION_ERROR');
    expectFailure(await client.call('POST', TRANSFER, { raw: fill(64 * 1024 + 1) }), 413, 'PAYLOAD_TOO_LARGE');
    const chunked = { raw: fill(200_000), headers: { 'transfer-encoding': 'chunked' } };
    expectFailure(await client.call('POST', TRANSFER, chunked), 413, 'PAYLOAD_TOO_LARGE');
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'application/jsonp',
    ';;;',
    '',
  ])('of type "%s" is a 415', async (type) => {
    const options = { raw: '{}', headers: { 'content-type': type } };
    expectFailure(await client.call('POST', TRANSFER, options), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('that is compressed is a 415', async () => {
    const options = { raw: '{}', headers: { 'content-encoding': 'gzip' } };
    expectFailure(await client.call('POST', TRANSFER, options), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('is not read before the token is checked', async () => {
    expectFailure(await world.client.call('POST', TRANSFER, { raw: '{' }), 401, 'AUTHENTICATION_ERROR');
  });
});

describe('a route', () => {
  it.each([
    '/',
    '/nowhere',
    '/wallets/me',
    '/wallets/me/balances/',
    '/WALLETS/me/balances',
    '//',
    '/wallets/../healthz',
  ])('%s does not exist', async (path) => {
    expectFailure(await client.get(path), 404, 'NOT_FOUND');
  });

  it('with a bad percent-encoding is a 400', async () => {
    for (const path of ['/%', '/%zz', '/wallets/me/history/%ff']) {
      expectFailure(await client.get(path), 400, 'VALIDATION_ERROR');
    }
  });

  it('with a very long path is no 5xx', async () => {
    expectFailure(await client.get(`/wallets/me/history/${'x'.repeat(8_000)}`), 404, 'NOT_FOUND');
    expectFailure(await client.get(`/${'x'.repeat(40_000)}`), 400, 'VALIDATION_ERROR');
  });

  it('names the methods it takes', async () => {
    const wrong: Array<[string, string, string]> = [
      ['POST', '/wallets/me/balances', 'GET, HEAD'],
      ['GET', TRANSFER, 'POST'],
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
    expect(answer.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'strict-transport-security': expect.any(String),
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'cache-control': 'no-store',
    });
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
    ['an expectation', 'POST /connect/start HTTP/1.1\r\nhost: x\r\nexpect: miracles\r\ncontent-length: 0\r\n\r\n'],
  ])('answers %s with the envelope', async (_, bytes) => {
    const text = await exchange(bytes);
    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(body)).toMatchObject({ status: false, statusCode: 400, data: { code: 'VALIDATION_ERROR' } });
  });

  it('answers a request without a Host header', async () => {
    expect(await exchange('GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });
});

function exchange(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(world.client.url);
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setTimeout(5_000, () => socket.destroy(new Error(`no end of the answer: ${text}`)));
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
  });
}

describe('an e-mail address', () => {
  it.each([
    '',
    'x',
    'x@',
    '@x.com',
    'a b@x.com',
    'a@x.com\r\nbcc: b@x.com',
    'a@x.com,b@x.com',
    `${'a'.repeat(250)}@x.com`,
    7,
    null,
  ])('%p is refused', async (email) => {
    const answer = await world.client.post('/connect/start', { email });
    expectFailure(answer, 400, 'VALIDATION_ERROR');
    expect(answer.body.data.details[0].field).toBe('email');
  });
});
