import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HOUR, level, NOON, spec, TestMatchingEngine } from './test-matching-engine.js';
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

describe('an order by REST', () => {
  it('is answered with what it filled, and has the same fills in the account', async () => {
    const { status, body } = await member.place({ count: '7', price: '0.45', client_order_id: 'mine' });
    expect(status).toBe(201);
    expect(body).toEqual({
      order_id: expect.any(String),
      client_order_id: 'mine',
      fill_count: '7.00',
      remaining_count: '0.00',
      average_fill_price: '0.435714',
      average_fee_paid: '0.017214',
      ts_ms: NOON,
    });
    const { body: listed } = await member.get(`/portfolio/fills?order_id=${body['order_id']}`);
    expect(listed['fills']).toMatchObject([
      { count_fp: '2.00', yes_price_dollars: '0.4500', no_price_dollars: '0.5500', fee_cost: '0.0347' },
      { count_fp: '5.00', yes_price_dollars: '0.4300', outcome_side: 'yes', book_side: 'bid', is_taker: true },
    ]);
    const { body: one } = await member.get(`/portfolio/orders/${body['order_id']}`);
    expect(one['order']).toMatchObject({
      client_order_id: 'mine',
      status: 'executed',
      initial_count_fp: '7.00',
      fill_count_fp: '7.00',
      taker_fill_cost_dollars: '3.0500',
      taker_fees_dollars: '0.1205',
      type: 'limit',
      created_time: new Date(NOON).toISOString(),
    });
  });

  it('that meets nothing is answered with nothing filled', async () => {
    const { status, body } = await member.place({ price: '0.42' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ fill_count: '0.00', remaining_count: '0.00' });
    expect(body).not.toHaveProperty('average_fill_price');
  });

  it('to ask buys NO at what the bid leaves of a dollar', async () => {
    const { body } = await member.place({ side: 'ask', price: '0.41', count: '2.50' });
    expect(body).toMatchObject({ fill_count: '2.50', average_fill_price: '0.4100' });
    const { body: listed } = await member.get('/portfolio/positions');
    expect(listed['market_positions']).toMatchObject([
      { ticker: 'M', position_fp: '-2.50', market_exposure_dollars: '1.4750', total_traded_dollars: '1.4750' },
    ]);
    expect(listed['event_positions']).toMatchObject([{ event_ticker: 'M-E', total_cost_shares_fp: '2.50' }]);
  });

  it.each([
    [{ ticker: undefined, side: undefined }, 400, 'missing_parameters'],
    [{ time_in_force: null }, 400, 'missing_parameters'],
    [{ self_trade_prevention_type: undefined }, 400, 'missing_parameters'],
    [{ side: 'yes' }, 400, 'invalid_order'],
    [{ count: 1 }, 400, 'invalid_order'],
    [{ count: '1.001' }, 400, 'invalid_order'],
    [{ count: '0' }, 400, 'invalid_order'],
    [{ count: '-1' }, 400, 'invalid_order'],
    [{ price: '0.435' }, 400, 'invalid_price'],
    [{ price: '.43' }, 400, 'invalid_price'],
    [{ price: '0.43000' }, 400, 'invalid_price'],
    [{ price: '1.00' }, 400, 'invalid_price'],
    [{ price: '0.00' }, 400, 'invalid_price'],
    [{ time_in_force: 'GTT' }, 400, 'invalid_order'],
    [{ expiration_time: 1_900_000_000 }, 400, 'invalid_order'],
    [{ post_only: true }, 400, 'invalid_order'],
    [{ reduce_only: true }, 400, 'invalid_order'],
    [{ subaccount: 1 }, 400, 'invalid_order'],
    [{ exchange_index: 2 }, 400, 'invalid_order'],
    [{ ticker: 'NOPE' }, 404, 'not_found'],
    [{ count: '500000' }, 400, 'insufficient_balance'],
    [{ count: '100', time_in_force: 'fill_or_kill' }, 409, 'fill_or_kill_insufficient_resting_volume'],
  ])('with %j is refused: %d %s', async (more, status, code) => {
    const reply = await member.place(more);
    expect(reply).toMatchObject({ status, body: { error: { code, message: expect.any(String) } } });
    expect(floor.exchange.account()).toMatchObject({ orders: [], fills: [] });
  });

  it.each(['', '{', '"text"', 'null'])('whose body is %j is refused', async (body) => {
    const reply = await member.ask('POST', '/portfolio/events/orders', body || undefined);
    expect(reply.status).toBe(400);
    if (body === '{') expect(reply.body).toMatchObject({ code: 'bad_request', message: expect.any(String) });
    else expect(reply.body).toMatchObject({ error: { code: 'missing_parameters' } });
  });

  it('that comes again is refused for its id, for ever', async () => {
    await member.place({ client_order_id: 'mine' });
    expect(await member.place({ client_order_id: 'mine' })).toMatchObject({
      status: 409,
      body: { error: { code: 'order_already_exists' } },
    });
    expect(await member.place({ client_order_id: undefined })).toMatchObject({ status: 201 });
    expect(floor.exchange.account().orders).toHaveLength(2);
  });

  it.each([
    ['a market that is paused', () => floor.exchange.setStatus('M', 'paused'), 'TRADING_PAUSED'],
    ['a market that is closed', () => floor.exchange.setStatus('M', 'closed'), 'MARKET_INACTIVE'],
    ['a market that is over', () => floor.exchange.settle('M', { result: 'yes' }), 'MARKET_INACTIVE'],
    ['an exchange that is paused', () => floor.exchange.setTrading(false), 'EXCHANGE_PAUSED'],
  ])('in %s is refused', async (_name, stop, code) => {
    stop();
    expect(await member.place()).toMatchObject({ status: 409, body: { error: { code } } });
    const { body } = await member.get('/exchange/status');
    expect(body).toMatchObject({ exchange_active: true, trading_active: code !== 'EXCHANGE_PAUSED' });
  });

  it('that rests can be reduced and canceled, once', async () => {
    const rest = { time_in_force: 'good_till_canceled', price: '0.4200', count: '5' };
    const { body } = await member.place(rest);
    const route = `/portfolio/events/orders/${body['order_id']}`;
    expect(body).toMatchObject({ remaining_count: '5.00' });
    expect(await member.ask('POST', `${route}/decrease`, { reduce_by: '2' })).toMatchObject({
      status: 200,
      body: { remaining_count: '3.00' },
    });
    expect(await member.ask('POST', `${route}/decrease`, { reduce_to: '4' })).toMatchObject({ status: 400 });
    expect(await member.ask('POST', `${route}/decrease`, {})).toMatchObject({ status: 400 });
    expect(await member.ask('DELETE', route)).toMatchObject({ status: 200, body: { reduced_by: '3.00' } });
    expect(await member.ask('DELETE', route)).toMatchObject({ status: 404 });
    await member.place(rest);
    expect(await member.ask('DELETE', '/portfolio/events/orders')).toMatchObject({ status: 204 });
    const { body: listed } = await member.get('/portfolio/orders?status=resting');
    expect(listed).toEqual({ orders: [], cursor: '' });
  });
});

describe('the account by REST', () => {
  it('pages the newest first, and what comes in between shifts nothing', async () => {
    for (let i = 0; i < 5; i += 1) await member.place({ count: '0.10' });
    const { body: first } = await member.get('/portfolio/orders?limit=2');
    await member.place();
    const { body: second } = await member.get(`/portfolio/orders?limit=2&cursor=${first['cursor']}`);
    const { body: third } = await member.get(`/portfolio/orders?limit=2&cursor=${second['cursor']}`);
    const ids = [first, second, third].flatMap(({ orders }) =>
      (orders as Array<{ client_order_id: string }>).map((order) => order.client_order_id),
    );
    expect(ids).toEqual(['order-5', 'order-4', 'order-3', 'order-2', 'order-1']);
    expect(third['cursor']).toBe('');
    expect(await member.get('/portfolio/orders?limit=1001')).toMatchObject({ status: 400 });
    expect(await member.get('/portfolio/orders?cursor=%25')).toMatchObject({ status: 200 });
    expect(await member.get('/portfolio/orders?cursor=bm90aGluZw')).toMatchObject({ status: 400 });
  });

  it('filters by market, event, time, status and order', async () => {
    await member.place();
    floor.nowMs += HOUR;
    await member.place({ ticker: 'N', price: '0.42' });
    await member.place({ ticker: 'N' });
    const count = async (query: string) => {
      const { body } = await member.get(`/portfolio/${query}`);
      return ((body['orders'] ?? body['fills'] ?? body['market_positions']) as unknown[]).length;
    };
    const since = Math.floor(NOON / 1_000);
    expect(await count('orders?ticker=N')).toBe(2);
    expect(await count('orders?event_ticker=M-E,X')).toBe(1);
    expect(await count('orders?status=canceled')).toBe(1);
    expect(await count(`orders?min_ts=${since + 1}`)).toBe(2);
    expect(await count(`orders?max_ts=${since}`)).toBe(1);
    expect(await count('fills?ticker=M')).toBe(1);
    expect(await count(`fills?min_ts=${since}&max_ts=${since + 3600}`)).toBe(2);
    expect(await count('positions?ticker=N')).toBe(1);
    expect(await count('positions?limit=1')).toBe(1);
    expect(await member.get('/portfolio/orders?status=open')).toMatchObject({ status: 400 });
    expect(await member.get('/portfolio/orders?subaccount=1')).toMatchObject({ status: 404 });
    expect(await member.get('/portfolio/orders/nothing')).toMatchObject({ status: 404 });
  });

  it('tells its balance exactly, beside whole cents', async () => {
    await member.place({ count: '0.50' });
    const { body } = await member.get('/portfolio/balance');
    expect(body).toEqual({
      balance: 99977,
      balance_dollars: '999.7764',
      portfolio_value: 21,
      updated_ts: NOON / 1_000,
      balance_breakdown: [{ exchange_index: 0, balance: '999.7764' }],
    });
  });

  it('is paid when a market is finalized, in whole cents, and sees the fees of its fills', async () => {
    await member.place({ count: '2.50' });
    await member.place({ ticker: 'N', side: 'ask', price: '0.41', count: '1' });
    floor.exchange.settle('M', { result: 'scalar', valueCents: 37 });
    floor.exchange.settle('N', { result: 'void' });
    const { body } = await member.get('/portfolio/settlements');
    expect(body['settlements']).toMatchObject([
      { ticker: 'N', market_result: 'scalar', no_count_fp: '1.00', revenue: 59, value: 41 },
      {
        ticker: 'M',
        event_ticker: 'M-E',
        market_result: 'scalar',
        yes_count_fp: '2.50',
        yes_total_cost_dollars: '1.0750',
        no_count_fp: '0.00',
        revenue: 92,
        value: 37,
        fee_cost: '0.0429',
        settled_time: new Date(NOON).toISOString(),
      },
    ]);
    expect((await member.get('/portfolio/settlements?ticker=N')).body['settlements']).toHaveLength(1);
    expect((await member.get('/portfolio/positions')).body['market_positions']).toEqual([]);
  });

  it('says what it may do and what that costs', async () => {
    expect((await member.get('/account/limits')).body).toEqual({
      usage_tier: 'basic',
      read: { refill_rate: 200, bucket_capacity: 200 },
      write: { refill_rate: 100, bucket_capacity: 100 },
      grants: [],
    });
    expect((await member.get('/account/endpoint_costs')).body).toMatchObject({ default_cost: 10 });
    expect((await member.get('/exchange/schedule')).body).toHaveProperty('schedule.maintenance_windows', []);
    const { body } = await member.get('/exchange/user_data_timestamp');
    expect(body).toEqual({ as_of_time: new Date(NOON).toISOString() });
  });
});
