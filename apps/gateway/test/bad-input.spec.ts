import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isOfOwners, type RouteContract } from '../src/api/route.js';
import { ROUTES } from '../src/api/routes.js';
import type { Client, Reply } from './client.js';
import { RECIPIENT } from './default-script.js';
import { expectFailure } from './expect-failure.js';
import { Browser, FakeOwners, ORIGIN } from './owner-console.js';
import { RATE_LIMITS, World } from './world.js';

let world: World;
let client: Client;
beforeAll(async () => {
  world = await World.open({
    rateLimits: { ...RATE_LIMITS, clientPerMinute: 10_000, agentPerMinute: 10_000 },
  });
  ({ client } = await world.login());
  world.script.wallet.transfer = () => {
    throw new Error('no bad request may get here');
  };
});
afterAll(() => world.close());

const TRANSFER = '/wallets/me/actions/transfer';

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

  it.each(['Application/JSON', 'application/json ; charset="utf-8"', 'application/json; profile=x; charset=UTF-8'])(
    'of type %s is read',
    async (type) => {
      const answer = await client.call('POST', TRANSFER, { raw: '{}', headers: { 'content-type': type } });
      expectFailure(answer, 400, 'VALIDATION_ERROR');
    },
  );

  it('that is compressed is a 415', async () => {
    const options = { raw: '{}', headers: { 'content-encoding': 'gzip' } };
    expectFailure(await client.call('POST', TRANSFER, options), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it.each(['application/json', 'application/x-www-form-urlencoded'])(
    'that is not there is accepted with the type %s by a route that takes none',
    async (type) => {
      const path = '/connect/sessions/01938f70-0000-7000-8000-000000000001';
      const answer = await client.call('DELETE', path, { headers: { 'content-type': type } });
      expectFailure(answer, 404, 'NOT_FOUND');
    },
  );

  it('that is missing is a 400, also where no field of it is required', async () => {
    const answer = await client.call('PATCH', '/wallets/me/policy', {});
    expectFailure(answer, 400, 'VALIDATION_ERROR');
    expect(answer.body.data.details).toEqual([{ field: 'body', reason: 'is required', problem: 'required' }]);
  });

  it('is not read before the token is checked', async () => {
    expectFailure(await world.client.call('POST', TRANSFER, { raw: '{' }), 401, 'AUTHENTICATION_ERROR');
  });
});

describe('a body that can be misread', () => {
  it('names the key that it has twice', async () => {
    const answer = await client.call('POST', TRANSFER, { raw: `{"to":"${RECIPIENT}","amount":1,"amount":2}` });
    expectFailure(answer, 400, 'VALIDATION_ERROR');
    expect(answer.body.message).toBe('body has the key "amount" twice.');
    expect(answer.body.data.details).toMatchObject([{ field: 'body', problem: 'duplicate' }]);
  });

  it('with a field that is not known is answered with the field that may be meant', async () => {
    const answer = await client.post(TRANSFER, { to: RECIPIENT, ammount: 1, recipient: RECIPIENT });
    expectFailure(answer, 400, 'VALIDATION_ERROR');
    expect(answer.body.message).toBe('ammount is not a field of this request. Did you mean amount? (and 2 more)');
    expect(answer.body.data.details).toEqual([
      {
        field: 'ammount',
        reason: 'is not a field of this request. Did you mean amount?',
        problem: 'unknown_field',
        didYouMean: ['amount'],
      },
      expect.objectContaining({ field: 'recipient', reason: expect.stringContaining('Did you mean to?') }),
      { field: 'amount', reason: 'is required, or amountRaw', problem: 'required' },
    ]);
  });

  it('with many wrong fields names 20 of them', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`amount${n}`.padEnd(60, 'x'), 1]));
    const recipients = Array.from({ length: 500 }, () => 1);
    const transfer = await client.post(TRANSFER, { to: RECIPIENT, amount: 1, ...unknown });
    const policy = await client.patch('/wallets/me/policy', { allowedRecipients: recipients });
    for (const answer of [transfer, policy]) {
      expectFailure(answer, 400, 'VALIDATION_ERROR');
      expect(answer.body.data.details).toHaveLength(20);
    }
  });

  it('with a query in another spelling is answered with the right one', async () => {
    const answer = await client.get('/predictions/markets?eventTicker=X');
    expectFailure(answer, 400, 'VALIDATION_ERROR');
    expect(answer.body.data.details).toMatchObject([{ field: 'eventTicker', didYouMean: ['event_ticker'] }]);
  });

  it('with a bad cursor is answered with one sentence', async () => {
    const answer = await client.get(`/predictions/markets?cursor=${'x'.repeat(1_001)}`);
    expectFailure(answer, 400, 'VALIDATION_ERROR');
    expect(answer.body.message).toBe('cursor is not valid. Use the cursor of the previous page, or omit it.');
  });
});

/** Of the reasons that are not about a range. */
const PROBLEMS: Readonly<Record<string, string>> = {
  'must be a JSON number: write 24, without quotes': 'wrong_type',
  'must have at most 6 decimals': 'too_many_decimals',
};

describe('a number of a policy', () => {
  const HOURS = 'must be an integer from 1 to 8760';
  it.each([
    ['sessionExpirationHours', '1e400', HOURS],
    ['sessionExpirationHours', '1e-400', HOURS],
    ['sessionExpirationHours', '-1e400', HOURS],
    ['sessionExpirationHours', '1.5', HOURS],
    ['sessionExpirationHours', '0', HOURS],
    ['sessionExpirationHours', '8761', HOURS],
    ['sessionExpirationHours', '9'.repeat(200), HOURS],
    ['sessionExpirationHours', '"24"', 'must be a JSON number: write 24, without quotes'],
    ['dailyLimitInUsd', '1e400', 'must be at most 1000000000'],
    ['dailyLimitInUsd', '1000000000.000001', 'must be at most 1000000000'],
    ['dailyLimitInUsd', '1e30', 'must be at most 1000000000'],
    ['dailyLimitInUsd', '5e-324', 'must have at most 6 decimals'],
    ['dailyLimitInUsd', '0.0000001', 'must have at most 6 decimals'],
    ['maxSingleTransactionInUsd', '-1e400', 'must be greater than 0'],
    ['maxSingleTransactionInUsd', '-5e-324', 'must be greater than 0'],
    ['maxSingleTransactionInUsd', '0', 'must be greater than 0'],
    ['maxSingleTransactionInUsd', '-0', 'must be greater than 0'],
  ])('%s %s is refused with the reason', async (field, text, reason) => {
    const answer = await client.call('PATCH', '/wallets/me/policy', { raw: `{"${field}":${text}}` });
    expectFailure(answer, 400, 'VALIDATION_ERROR');
    expect(answer.body.data.details).toEqual([{ field, reason, problem: PROBLEMS[reason] ?? 'out_of_range' }]);
  });
});

describe('the recipients of a policy', () => {
  it('are refused when one is there twice', async () => {
    const answer = await client.patch('/wallets/me/policy', { allowedRecipients: [RECIPIENT, RECIPIENT] });
    expectFailure(answer, 400, 'VALIDATION_ERROR');
    expect(answer.body.data.details).toMatchObject([{ field: 'allowedRecipients', problem: 'duplicate' }]);
  });
});

describe('a number of a query', () => {
  it.each(['-1', '101', '99999999999', '1e1', '1.5', 'x', ''])('"%s" is refused with the reason', async (text) => {
    const answer = await client.get(`/wallets/me/history?limit=${text}`);
    expectFailure(answer, 400, 'VALIDATION_ERROR');
    expect(answer.body.data.details).toEqual([
      { field: 'limit', reason: 'must be an integer from 1 to 100', problem: 'out_of_range' },
    ]);
  });
});

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
    `0@${'0'.repeat(63)}.${'a'.repeat(63)}.${'a'.repeat(63)}.${'a'.repeat(60)}`, // more than a mail server takes
    7,
    null,
  ])('%p is refused', async (email) => {
    const answer = await world.client.post('/connect/start', { email });
    expectFailure(answer, 400, 'VALIDATION_ERROR');
    expect(answer.body.data.details[0].field).toBe('email');
  });
});

describe('every route', () => {
  let owners: World;
  let agent: Client;
  let browser: Browser;
  beforeAll(async () => {
    const rateLimits = { ...RATE_LIMITS, clientPerMinute: 10_000, agentPerMinute: 10_000, ownerPerMinute: 10_000 };
    owners = await World.open({ rateLimits, ownerOrigin: ORIGIN });
    new FakeOwners(owners);
    ({ client: agent } = await owners.login());
    browser = new Browser(owners.client);
    await browser.openWithPasskey(owners, 'owner@example.com');
  });
  afterAll(() => owners.close());

  /** Sends a request as its caller does: with the agent's token, as the owner's page, or without either. */
  function send(route: RouteContract, query: string, body?: unknown): Promise<Reply> {
    const { auth, method, path } = route;
    const url = `${path.replace(/\{\w+\}/g, 'a')}${query}`;
    if (isOfOwners(route)) return browser.call(method, url, body);
    return (auth === 'bearer' ? agent : owners.client).call(method, url, { body });
  }

  const named = ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const);

  it.each(named)('%s refuses a query parameter that it does not have', async (_, route) => {
    const reply = await send(route, '?nonsense=1', route.body ? {} : undefined);
    expectFailure(reply, 400, 'VALIDATION_ERROR');
    const { details } = reply.body.data as { details: ReadonlyArray<{ field: string }> };
    expect(details.map(({ field }) => field)).toContain('nonsense');
  });

  it.each(named.filter(([, { method }]) => method !== 'GET'))('%s refuses a body that is a list', async (_, route) => {
    expectFailure(await send(route, '', []), 400, 'VALIDATION_ERROR');
  });

  it.each(named.filter(([, { body }]) => body))('%s refuses a field that it does not have', async (_, route) => {
    const reply = await send(route, '', { nonsense: 1 });
    expectFailure(reply, 400, 'VALIDATION_ERROR');
    const { details } = reply.body.data as { details: ReadonlyArray<{ field: string }> };
    expect(details.map(({ field }) => field)).toContain('nonsense');
  });
});
