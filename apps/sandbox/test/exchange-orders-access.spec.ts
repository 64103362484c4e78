import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { ExchangeServer } from '../src/exchange/access/exchange-server.js';
import { SignatureCheck } from '../src/exchange/access/signature-check.js';
import { level, spec, TestMatchingEngine } from './test-matching-engine.js';
import { Member, MEMBER, signed } from './exchange-member.js';

const ROUTE = '/portfolio/balance';
const PATH = `/trade-api/v2${ROUTE}`;

let member: Member;

beforeEach(async () => {
  const quotes = { yesBids: [level(40, 1_000)], noBids: [level(57, 1_000)] };
  member = await Member.open(new TestMatchingEngine((exchange) => exchange.list(spec('M'), { quotes })));
});
afterEach(() => member.stop());

describe('the account', () => {
  it('is its owner’s: method, path without query and time are signed', async () => {
    expect((await member.ask('GET', `${ROUTE}?subaccount=0`)).status).toBe(200);
  });

  it.each([
    ['nothing is signed', {}, 'MISSING_PARAMETERS'],
    ['the signature is missing', { 'kalshi-access-signature': undefined }, 'MISSING_PARAMETERS'],
    ['the key is another', { 'kalshi-access-key': 'other' }, 'NOT_FOUND'],
    ['the time is none', { 'kalshi-access-timestamp': 'soon' }, 'INCORRECT_API_KEY_TIMESTAMP'],
    ['the time is another', { 'kalshi-access-timestamp': '1800000000001' }, 'INCORRECT_API_KEY_SIGNATURE'],
    ['the signature is noise', { 'kalshi-access-signature': 'AAAA' }, 'INCORRECT_API_KEY_SIGNATURE'],
  ])('is closed when %s', async (name, change, details) => {
    const headers = { ...(name !== 'nothing is signed' && signed('GET', PATH, member.doorMs)), ...change };
    const given = Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined);
    const reply = await member.askAgain('GET', ROUTE, undefined, Object.fromEntries(given));
    expect(reply).toMatchObject({ status: 401, body: { error: { code: 'authentication_error', details } } });
  });

  it.each([
    ['another method', () => signed('POST', PATH, member.doorMs)],
    ['another path', () => signed('GET', '/trade-api/v2/portfolio/fills', member.doorMs)],
    ['a path without the prefix', () => signed('GET', ROUTE, member.doorMs)],
    ['a path with its query', () => signed('GET', `${PATH}?limit=1`, member.doorMs)],
    [
      'another key',
      () => {
        const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
        return signed('GET', PATH, member.doorMs, { id: MEMBER.id, privateKey });
      },
    ],
  ])('is not opened by a signature of %s', async (_name, headers) => {
    expect((await member.askAgain('GET', `${ROUTE}?limit=1`, undefined, headers())).status).toBe(401);
  });

  it.each([
    [-30_000, 200],
    [-30_001, 401],
    [30_000, 200],
    [30_001, 401],
  ])('takes a caller whose clock is off by %d ms: %d', async (offMs, status) => {
    const reply = await member.askAgain('GET', ROUTE, undefined, signed('GET', PATH, member.doorMs + offMs));
    expect(reply.status).toBe(status);
  });

  it('is closed when there is no key, and an elliptic one is refused at the start', () => {
    const clock = { nowMs: () => member.doorMs };
    const headers = signed('GET', PATH, member.doorMs);
    const closed = new SignatureCheck(undefined, clock);
    expect(closed.callerOf({ method: 'GET', path: PATH, headers })).toEqual({ kind: 'refused', why: 'NOT_FOUND' });
    const { publicKey } = generateKeyPairSync('ed25519');
    const publicKeyPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    expect(() => new SignatureCheck({ id: 'x', publicKeyPem }, clock)).toThrow('RSA');
  });
});

it('the exchange’s state is public, unless a signature is wrong', async () => {
  expect((await member.askAgain('GET', '/exchange/status', undefined, {})).status).toBe(200);
  const wrong = signed('GET', '/elsewhere', member.doorMs);
  expect((await member.askAgain('GET', '/exchange/status', undefined, wrong)).status).toBe(401);
  expect((await member.askAgain('GET', '/account/limits', undefined, {})).status).toBe(401);
});

it('opens a WebSocket for the owner only', () => {
  const path = '/trade-api/ws/v2';
  const head = (headers: Record<string, string>) => ({ method: 'GET', path, query: new URLSearchParams(), headers });
  expect(member.door.admitSocket(head(signed('GET', path, member.doorMs)))).toBeUndefined();
  expect(member.door.admitSocket(head({}))).toMatchObject({ status: 401 });
  expect(member.door.admitSocket(head(signed('GET', PATH, member.doorMs)))).toMatchObject({ status: 401 });
});

describe('the quota', () => {
  const statuses = async (count: number, ask: () => Promise<{ status: number }>): Promise<number[]> => {
    const found: number[] = [];
    for (let i = 0; i < count; i += 1) found.push((await ask()).status);
    return found;
  };
  const place = () => member.askAgain('POST', '/portfolio/events/orders', member.body({ count: '0.01' }));
  const read = () => member.askAgain('GET', ROUTE);

  it('lets ten orders a second through, and tells the eleventh no more than that', async () => {
    expect(await statuses(10, place)).toEqual(Array(10).fill(201));
    const refused = await place();
    expect(refused).toMatchObject({ status: 429, body: { error: 'too many requests' } });
    expect(refused.headers.get('retry-after')).toBeNull();
    member.doorMs += 99;
    expect(await statuses(1, place)).toEqual([429]);
    member.doorMs += 1;
    expect(await statuses(2, place)).toEqual([201, 429]);
    member.doorMs += 60_000;
    expect(await statuses(11, place)).toEqual([...Array<number>(10).fill(201), 429]);
  });

  it('counts reads apart, and callers without a key together', async () => {
    await statuses(11, place);
    expect(await statuses(21, read)).toEqual([...Array<number>(20).fill(200), 429]);
    const anybody = () => member.askAgain('GET', '/exchange/status', undefined, {});
    expect(await statuses(21, anybody)).toEqual([...Array<number>(20).fill(200), 429]);
  });

  it('charges two tokens for a cancellation', async () => {
    const rest = member.body({ time_in_force: 'good_till_canceled', price: '0.4000', count: '1' });
    const { body } = await member.askAgain('POST', '/portfolio/events/orders', rest);
    const cancel = () => member.askAgain('DELETE', `/portfolio/events/orders/${body['order_id']}`);
    expect(await statuses(46, cancel)).toEqual([200, ...Array<number>(44).fill(404), 429]);
  });

  it('is that of the tier', async () => {
    const terms = { refillPerSecond: 20, capacity: 20 };
    const tier = { name: 'small', read: terms, write: terms };
    const clock = { nowMs: () => member.doorMs };
    const door = new ExchangeServer({ faults: member.faults, clock, key: MEMBER, tier });
    const head = { method: 'GET', path: '/trade-api/v2/markets', query: new URLSearchParams(), headers: {} };
    const replies = [await door.admit(head), await door.admit(head), await door.admit(head)];
    expect(replies.map((reply) => reply?.status)).toEqual([undefined, undefined, 429]);
  });
});
