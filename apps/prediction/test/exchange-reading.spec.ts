import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { constants, verify } from 'node:crypto';
import { systemClock } from '@agent-wallet/kernel';
import { KalshiHttp } from '../src/adapters/exchange/kalshi-http.js';
import { streamOf } from '../src/adapters/exchange/open-exchange.js';
import { type AdapterUnderTest, codeOf, openAdapter } from './exchange-adapter.js';
import { json, type KalshiServer, marketJson, type Script, startKalshiServer, testKey } from './kalshi-server.js';

let server: KalshiServer;
let test: AdapterUnderTest;

beforeEach(async () => {
  server = await startKalshiServer();
  test = openAdapter(server.baseUrl);
});
afterEach(async () => {
  test.http.close();
  await server.close();
});

describe('a read', () => {
  it('of a market is not signed; one that is not known, or cannot be, is undefined', async () => {
    server.script = ({ path }, r) =>
      path === '/markets/KXA-1'
        ? json(r, { market: marketJson('KXA-1') })
        : json(r, { error: { code: 'not_found' } }, 404);
    expect(await test.exchange.market('KXA-1')).toMatchObject({
      ticker: 'KXA-1',
      status: 'open',
      eventTicker: 'KXA-26',
    });
    expect(server.asked[0]!.headers).not.toHaveProperty('kalshi-access-key');
    expect(await test.exchange.market('KXA-2')).toBeUndefined();
    expect(await codeOf(test.exchange.orderbook('KXA-2'))).toBe('NOT_FOUND');
    const before = server.asked.length;
    for (const bad of ['', '..', '../x', 'a/b', 'a?b', 'a%2fb', 'x'.repeat(121)]) {
      expect(await test.exchange.market(bad)).toBeUndefined();
      expect(await codeOf(test.exchange.orderbook(bad))).toBe('NOT_FOUND');
    }
    expect(server.asked).toHaveLength(before);
  });

  it('of a market and its book is shared by all who plan an order in it at the same moment', async () => {
    server.script = ({ path }, r) =>
      path.endsWith('/orderbook')
        ? json(r, { orderbook_fp: { yes_dollars: [['0.4000', '1.00']], no_dollars: [] } })
        : json(r, { market: marketJson(path.split('/')[2]!) });
    const look = (ticker: string) => Promise.all([test.exchange.market(ticker), test.exchange.orderbook(ticker)]);
    const looks = await Promise.all(Array.from({ length: 20 }, (_, i) => look(i % 2 === 0 ? 'KXA-1' : 'KXA-2')));
    expect(looks[3]).toMatchObject([{ ticker: 'KXA-2' }, { yesBids: [{ priceUsdMicros: 400_000n, count: 100n }] }]);
    expect(server.asked).toHaveLength(4);
    test.nowMs += 299;
    await look('KXA-1');
    expect(server.asked).toHaveLength(4);
    test.nowMs += 1;
    await look('KXA-1');
    expect(server.asked).toHaveLength(6);
  });

  it.each<[string, string, Script]>([
    ['of a broken exchange', 'UPSTREAM_ERROR', (_, r) => json(r, { error: { code: 'x' } }, 500)],
    ['that the exchange does not have', 'UPSTREAM_ERROR', (_, r) => json(r, { error: { code: 'not_found' } }, 404)],
    ['with a bad key', 'UPSTREAM_ERROR', (_, r) => json(r, { error: { code: 'x' } }, 401)],
    ['that is not JSON', 'UPSTREAM_ERROR', (_, r) => void r.writeHead(200).end('<html>')],
    ['of another shape', 'UPSTREAM_ERROR', (_, r) => json(r, { balance: 5 })],
    ['whose connection dies', 'UPSTREAM_ERROR', (_, r) => void r.destroy()],
    [
      'that comes too often, again and again',
      'SERVICE_UNAVAILABLE',
      (_, r) => json(r, { error: 'too many requests' }, 429),
    ],
  ])('%s is %s', async (_, code, script) => {
    server.script = script;
    expect(await codeOf(test.exchange.balance())).toBe(code);
  });

  it('that comes too often is put again after a pause of all', async () => {
    server.script = (_, r) =>
      server.asked.length < 3
        ? json(r, { error: 'too many requests' }, 429)
        : json(r, { balance_dollars: '12.345678' });
    expect(await test.exchange.balance()).toEqual({ cashUsdMicros: 12_345_678n });
    expect(test.pauses).toEqual(['read', 'read']);
  });

  it('of the account is signed, without the query', async () => {
    server.script = (_, r) => json(r, { orders: [], cursor: '' });
    await test.exchange.findOrder({ ticker: 'KXA-1', clientOrderId: 'c', sinceMs: 61_999 });
    expect(server.asked[0]!.query).toEqual({ ticker: 'KXA-1', min_ts: '61', limit: '100' });
    const { headers } = server.asked[0]!;
    const stamp = headers['kalshi-access-timestamp'] as string;
    const key = { key: testKey.publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
    const signature = Buffer.from(headers['kalshi-access-signature'] as string, 'base64');
    expect(verify('sha256', Buffer.from(`${stamp}GET/trade-api/v2/portfolio/orders`), key, signature)).toBe(true);
  });
});

/** Serves pages by cursor: the first has none. */
const paged =
  (pages: ReadonlyArray<object>): Script =>
  ({ query }, response) => {
    const page = Number(query['cursor'] ?? 0);
    json(response, { ...pages[page], cursor: page + 1 < pages.length ? String(page + 1) : '' });
  };

describe('all pages', () => {
  const order = (id: string, client: string) => ({
    ...{ order_id: id, client_order_id: client, ticker: 'KXA-1', status: 'executed' },
    ...{ initial_count_fp: '5.00', fill_count_fp: '2.00' },
  });
  const fill = (id: string, over: object = {}) => ({
    ...{ fill_id: id, order_id: 'o', ticker: 'KXA-1', outcome_side: 'yes', count_fp: '1.00', fee_cost: '0.0175' },
    ...{ yes_price_dollars: '0.5000', no_price_dollars: '0.5000', created_time: '2026-11-21T00:00:00Z', ...over },
  });

  it('are looked through for an order', async () => {
    server.script = paged([
      { orders: [order('1', 'a')] },
      { orders: [order('2', 'b')] },
      { orders: [order('3', 'c')] },
    ]);
    const wanted = { ticker: 'KXA-1', sinceMs: 0 };
    expect(await test.exchange.findOrder({ ...wanted, clientOrderId: 'b' })).toEqual({
      ...{ orderId: '2', clientOrderId: 'b', ticker: 'KXA-1', status: 'executed', count: 500n, filled: 200n },
    });
    expect(server.asked).toHaveLength(2);
    expect(await test.exchange.findOrder({ ...wanted, clientOrderId: 'd' })).toBeUndefined();
  });

  it('of fills are read, each fill once, and none of another order', async () => {
    server.script = paged([
      { fills: [fill('f1'), fill('f2')] },
      { fills: [fill('f2'), fill('f3', { outcome_side: 'no' }), fill('f4', { order_id: 'other' })] },
    ]);
    const fills = await test.exchange.fills('o');
    expect(fills.map(({ fillId, side }) => [fillId, side])).toEqual([
      ['f1', 'yes'],
      ['f2', 'yes'],
      ['f3', 'no'],
    ]);
    expect(fills[0]).toMatchObject({ feeUsdMicros: 17_500n, count: 100n, atMs: Date.UTC(2026, 10, 21) });
  });

  it('of positions and settlements are read', async () => {
    server.script = paged([
      { market_positions: [{ ticker: 'A', position_fp: '3.00' }] },
      {
        market_positions: [
          { ticker: 'B', position_fp: '-2.50' },
          { ticker: 'C', position_fp: '0.00' },
        ],
      },
    ]);
    expect([...(await test.exchange.positions())]).toEqual([
      ['A', 300n],
      ['B', -250n],
    ]);
    const settlement = {
      ...{ ticker: 'A', event_ticker: 'E', market_result: 'yes', yes_count_fp: '3.00', no_count_fp: '0.00' },
      ...{ revenue: 300, fee_cost: '0.00', settled_time: '2026-11-21T00:00:00Z' },
    };
    const strange = { ...settlement, ticker: 'B', market_result: 'a new word' };
    server.script = paged([{ settlements: [strange, settlement] }, { settlements: [settlement] }]);
    expect((await test.exchange.settlements(5_000)).map(({ ticker, result }) => [ticker, result])).toEqual([
      ['B', undefined],
      ['A', 'yes'],
      ['A', 'yes'],
    ]);
    expect(server.asked.at(-1)!.query).toMatchObject({ min_ts: '5', cursor: '1' });
  });

  it('end when a cursor leads nowhere new', async () => {
    server.script = (_, r) => json(r, { market_positions: [], cursor: 'same' });
    expect((await test.exchange.positions()).size).toBe(0);
    expect(server.asked).toHaveLength(2);
  });
});

describe('what is remembered', () => {
  it('is the status, for seconds, and never longer', async () => {
    server.script = (_, r) => json(r, { exchange_active: true, trading_active: server.asked.length > 1 });
    expect(await test.exchange.status()).toEqual({ tradingActive: false });
    test.nowMs += 4_999;
    expect(await test.exchange.status()).toEqual({ tradingActive: false });
    test.nowMs += 1;
    expect(await test.exchange.status()).toEqual({ tradingActive: true });
    test.nowMs += 5_000;
    server.script = (_, r) => json(r, {}, 500);
    expect(await codeOf(test.exchange.status())).toBe('UPSTREAM_ERROR');
  });

  it.each([
    [{}, { fee_type: 'quadratic', fee_multiplier: 1 }, 70_000n],
    [{}, { fee_type: 'quadratic', fee_multiplier: 0.5 }, 35_000n],
    [{ fee_type_override: 'quadratic', fee_multiplier_override: 2 }, { fee_type: 'flat', fee_multiplier: 1 }, 140_000n],
    [{ fee_type_override: 'quadratic', fee_multiplier_override: 0 }, { fee_type: 'quadratic', fee_multiplier: 1 }, 0n],
  ])('are the fees of an event with %j in a series with %j', async (event, series, takerRatePpm) => {
    server.script = ({ path }, r) =>
      path === '/events/KXA-26'
        ? json(r, { event: { event_ticker: 'KXA-26', series_ticker: 'KXA', ...event }, markets: [] })
        : json(r, { series: { ticker: 'KXA', ...series } });
    expect(await test.exchange.feeTerms({ eventTicker: 'KXA-26' })).toEqual({ takerRatePpm });
    await test.exchange.feeTerms({ eventTicker: 'KXA-26' });
    expect(server.asked.map(({ path }) => path)).toEqual(['/events/KXA-26', '/series/KXA']);
  });

  it('are no fees that cannot be calculated', async () => {
    server.script = ({ path }, r) =>
      path.startsWith('/events')
        ? json(r, { event: { event_ticker: 'KXA-26', series_ticker: 'KXA' } })
        : json(r, { series: { ticker: 'KXA', fee_type: 'flat', fee_multiplier: 1 } });
    expect(await codeOf(test.exchange.feeTerms({ eventTicker: 'KXA-26' }))).toBe('MARKET_CLOSED');
  });
});

describe('the address', () => {
  it('of the stream is derived from that of the API', () => {
    expect(streamOf('https://external-api.kalshi.com/trade-api/v2')).toBe(
      'wss://external-api-ws.kalshi.com/trade-api/ws/v2',
    );
    expect(streamOf('https://external-api.demo.kalshi.co/trade-api/v2')).toBe(
      'wss://external-api-ws.demo.kalshi.co/trade-api/ws/v2',
    );
    expect(streamOf('http://127.0.0.1:8903/trade-api/v2')).toBe('ws://127.0.0.1:8903/trade-api/ws/v2');
  });

  it('must have no credentials, and none is named', () => {
    const options = { key: testKey, clock: systemClock };
    const message = 'the address of the exchange must have no credentials';
    expect(() => new KalshiHttp({ ...options, baseUrl: 'http://user:hidden@127.0.0.1' })).toThrow(message);
    expect(() => new KalshiHttp({ ...options, baseUrl: 'hidden' })).toThrow('the address of the exchange is not a URL');
  });
});
