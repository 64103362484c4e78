import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { contracts, level, NOON, spec, TestMatchingEngine } from './test-matching-engine.js';
import { Member } from './exchange-member.js';

const BOOK = { yesBids: [level(40, 10), level(41, 10)], noBids: [level(55, 10), level(57, 5)] };

let member: Member;
let floor: TestMatchingEngine;

beforeEach(async () => {
  floor = new TestMatchingEngine((exchange) => {
    exchange.list(spec('M'), { quotes: BOOK });
    exchange.list(spec('N'), { quotes: BOOK });
  });
  member = await Member.open(floor);
});
afterEach(() => member.stop());

describe('a fault', () => {
  const held = () => floor.exchange.account().positions[0]?.hundredths ?? 0n;

  it.each([
    ['error429', 429, { error: 'too many requests' }],
    ['error500', 500, { error: { code: 'internal_server_error' } }],
    ['rejectOrder', 400, { error: { code: 'invalid_order' } }],
  ])('%s answers an order that was not placed', async (fault, status, body) => {
    member.arm(fault);
    expect((await member.get('/portfolio/balance')).status).toBe(200);
    const reply = await member.place({ client_order_id: 'mine' });
    expect(reply).toMatchObject({ status, body });
    expect(reply.headers.get('retry-after')).toBeNull();
    expect(held()).toBe(0n);
    expect(await member.place({ client_order_id: 'mine' })).toMatchObject({ status: 201 });
  });

  it('errorAfterAccept loses the answer to an order that was placed', async () => {
    member.arm('errorAfterAccept');
    expect(await member.place({ price: '0.435' })).toMatchObject({ status: 400 });
    expect(await member.place({ client_order_id: 'mine' })).toMatchObject({ status: 500 });
    expect(held()).toBe(contracts(1));
    expect(await member.place({ client_order_id: 'mine' })).toMatchObject({ status: 409 });
  });

  it('dropAfterAccept cuts the connection of an order that was placed', async () => {
    member.arm('dropAfterAccept');
    await expect(member.place({ client_order_id: 'mine' })).rejects.toThrow('fetch failed');
    expect(held()).toBe(contracts(1));
    expect(await member.place({ client_order_id: 'mine' })).toMatchObject({ status: 409 });
  });

  it.each([
    ['3', '1.00'],
    ['2', '1.00'],
    ['1', '0.50'],
    ['0.01', '0.01'],
  ])('partialFill fills a part of %s contracts: %s', async (count, filled) => {
    member.arm('partialFill');
    expect((await member.place({ count })).body).toMatchObject({ fill_count: filled, remaining_count: '0.00' });
  });

  it('acts on the market, the method and the path that it names', async () => {
    member.arm('error500', { ticker: 'N' });
    expect((await member.place()).status).toBe(201);
    expect((await member.place({ ticker: 'N' })).status).toBe(500);
    member.arm('error500', { method: 'GET', path: '/portfolio/orders' });
    expect((await member.place()).status).toBe(201);
    expect((await member.get('/portfolio/orders?ticker=M')).status).toBe(500);
    member.arm('error429', { path: '/trade-api/v2/portfolio/fills', ticker: 'M' });
    expect((await member.get('/portfolio/fills?ticker=N')).status).toBe(200);
    expect((await member.get('/portfolio/fills?ticker=M')).status).toBe(429);
  });

  it('delay holds an order back before it is placed', async () => {
    member.arm('delay', {}, { delayMs: 60 });
    const started = performance.now();
    expect((await member.place()).status).toBe(201);
    expect(performance.now() - started).toBeGreaterThan(55);
  });

  it('lagPortfolio shows the account as it was, and says how old that is', async () => {
    await member.place({ count: '1' });
    floor.nowMs += 3_000;
    await member.place({ ticker: 'N', count: '2' });
    floor.nowMs += 1_000;
    const lists = ['orders', 'fills', 'positions', 'balance', 'settlements'];
    const fresh = await Promise.all(lists.map((list) => member.get(`/portfolio/${list}`)));
    member.arm('lagPortfolio', {}, { times: 6, delayMs: 2_000 });
    const lagged = [];
    for (const list of lists) lagged.push((await member.get(`/portfolio/${list}`)).body);
    expect(lagged[0]!['orders']).toHaveLength(1);
    expect(lagged[1]!['fills']).toHaveLength(1);
    expect(lagged[2]!['market_positions']).toMatchObject([{ ticker: 'M' }]);
    expect(lagged[3]!['balance_dollars']).toBe('999.5528');
    const asOf = async () => (await member.get('/exchange/user_data_timestamp')).body['as_of_time'];
    expect(await asOf()).toBe(new Date(NOON + 2_000).toISOString());
    expect(await asOf()).toBe(new Date(NOON + 2_000).toISOString());
    for (const [i, list] of lists.entries()) {
      expect((await member.get(`/portfolio/${list}`)).body).toEqual(fresh[i]!.body);
    }
    expect(await asOf()).toBe(new Date(NOON + 4_000).toISOString());
  });

  it('duplicateSettlement shows one settlement twice', async () => {
    await member.place();
    await member.place({ ticker: 'N' });
    floor.exchange.settle('M', { result: 'yes' });
    member.arm('duplicateSettlement', { ticker: 'N' });
    member.arm('duplicateSettlement');
    const tickers = async () => {
      const { body } = await member.get('/portfolio/settlements');
      return (body['settlements'] as Array<{ ticker: string }>).map(({ ticker }) => ticker);
    };
    expect(await tickers()).toEqual(['M', 'M']);
    floor.exchange.settle('N', { result: 'no' });
    expect(await tickers()).toEqual(['N', 'N', 'M']);
    expect(await tickers()).toEqual(['N', 'M']);
    expect(floor.exchange.account().settlements).toHaveLength(2);
  });
});
