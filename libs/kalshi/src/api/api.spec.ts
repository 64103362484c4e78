import { describe, expect, it } from '@jest/globals';
import { readKalshiError } from './errors.js';
import { eventResponse } from './event.js';
import { marketResponse } from './market.js';
import { createOrderResponse, fillsResponse, positionsResponse, settlementsResponse } from './portfolio.js';
import { seriesListResponse } from './series.js';

const MARKET = {
  ticker: 'KXA-1',
  event_ticker: 'KXA',
  market_type: 'binary',
  yes_sub_title: 'Above 5',
  no_sub_title: 'Not above 5',
  status: 'active',
  open_time: '2026-11-01T00:00:00Z',
  close_time: '2026-12-01T00:00:00Z',
  latest_expiration_time: '2026-12-08T00:00:00Z',
  expected_expiration_time: '0001-01-01T00:00:00Z',
  settlement_timer_seconds: 60,
  yes_bid_dollars: '0.4200',
  yes_ask_dollars: '1.0000',
  no_bid_dollars: '0.0000',
  no_ask_dollars: '0.5800',
  last_price_dollars: '0.0000',
  volume_fp: '10.50',
  volume_24h_fp: '0.00',
  open_interest_fp: '3.00',
  result: '',
  rules_primary: 'Rules.',
  floor_strike: 5.5,
  price_ranges: [{ start: '0.0000', end: '1.0000', step: '0.0100' }],
  something_new: { of: 'no interest' },
};
const read = (over: object = {}) => marketResponse.parse({ market: { ...MARKET, ...over } }).market;

describe('a market', () => {
  it('is read exactly; what the exchange has not is undefined or empty', () => {
    expect(read()).toMatchObject({
      title: 'Above 5',
      subtitle: 'Rules.',
      status: 'open',
      paused: false,
      exchangeIndex: 0,
      yesBidUsdMicros: 420_000n,
      yesAskUsdMicros: undefined,
      noBidUsdMicros: undefined,
      noAskUsdMicros: 580_000n,
      lastPriceUsdMicros: undefined,
      volume: 1_050n,
      result: undefined,
      settlementValueUsdMicros: undefined,
      expectedExpirationTimeMs: undefined,
      settledAtMs: undefined,
      floorStrike: '5.5',
      capStrike: '',
      priceRanges: [{ startUsdMicros: 0n, endUsdMicros: 1_000_000n, stepUsdMicros: 10_000n }],
    });
  });

  it.each([
    ['initialized', 'unopened', false],
    ['active', 'open', false],
    ['inactive', 'open', true],
    ['closed', 'closed', false],
    ['determined', 'closed', false],
    ['disputed', 'closed', false],
    ['amended', 'closed', false],
    ['finalized', 'settled', false],
    ['constructor', 'closed', false],
  ])('that is %s is %s', (wire, status, paused) => {
    expect(read({ status: wire })).toMatchObject({ status, paused });
  });

  it.each([
    [{ result: 'yes' }, 'yes', 1_000_000n],
    [{ result: 'no' }, 'no', 0n],
    [{ result: 'scalar', settlement_value_dollars: '0.3750' }, 'scalar', 375_000n],
    [{ result: '', settlement_value_dollars: '0.5000' }, undefined, 500_000n],
    [{ result: 'void' }, undefined, undefined],
  ])('with %j has the result %s and pays %s', (over, result, settlementValueUsdMicros) => {
    expect(read(over)).toMatchObject({ result, settlementValueUsdMicros });
  });

  it.each([
    ['a price that is a number', { yes_bid_dollars: 0.42 }],
    ['a price above a dollar', { yes_bid_dollars: '1.0100' }],
    ['a negative volume', { volume_fp: '-1.00' }],
    ['no ticker', { ticker: '' }],
    ['a step of nothing', { price_ranges: [{ start: '0.00', end: '1.00', step: '0.00' }] }],
    ['a close that is not a time', { close_time: 'soon' }],
  ])('with %s is refused', (_, over) => {
    expect(() => read(over)).toThrow();
  });
});

describe('the prices of a market', () => {
  it.each([
    ['start', { start: '0.000050', end: '1.0000', step: '0.0100' }],
    ['step', { start: '0.0000', end: '1.0000', step: '0.000001' }],
  ])('are not those of a range whose %s no order can name', (_, range) => {
    const good = { start: '0.1000', end: '0.2000', step: '0.0001' };
    expect(read({ price_ranges: [range, good] }).priceRanges).toMatchObject([{ startUsdMicros: 100_000n }]);
  });
});

describe('an event', () => {
  const event = { event_ticker: 'KXA', series_ticker: 'KX', title: 'A', settlement_sources: null };

  it('has its markets wherever the exchange puts them', () => {
    expect(eventResponse.parse({ event: { ...event, markets: [MARKET] }, markets: [] }).markets).toHaveLength(1);
    expect(eventResponse.parse({ event, markets: [MARKET] }).markets).toHaveLength(1);
  });
});

describe('a series', () => {
  it('keeps its multiplier as text', () => {
    const one = { ticker: 'KX', fee_type: 'quadratic', fee_multiplier: 0.5, tags: null };
    expect(seriesListResponse.parse({ series: [one] }).series[0]).toMatchObject({ feeMultiplier: '0.5', tags: [] });
    expect(seriesListResponse.parse({ series: null })).toEqual({ series: [] });
  });
});

describe('the portfolio', () => {
  it('is read in micro-dollars and hundredths', () => {
    expect(createOrderResponse.parse({ order_id: 'o', fill_count: '2.50', remaining_count: '0.00', ts_ms: 1 })).toEqual(
      {
        orderId: 'o',
        clientOrderId: '',
        filled: 250n,
      },
    );
    expect(positionsResponse.parse({ market_positions: [{ ticker: 'A', position_fp: '-3.00' }] })).toMatchObject({
      market_positions: [{ ticker: 'A', count: -300n }],
    });
    const fill = { fill_id: 'f', order_id: 'o', ticker: 'A', outcome_side: 'no', count_fp: '1.00', fee_cost: '0.0175' };
    const prices = { yes_price_dollars: '0.4000', no_price_dollars: '0.6000' };
    const fills = [
      { ...fill, ...prices, created_time: '2026-11-01T00:00:00.5Z' },
      { ...fill, ...prices, ts: 5 },
    ];
    expect(fillsResponse.parse({ fills }).fills).toMatchObject([
      { side: 'no', noPriceUsdMicros: 600_000n, feeUsdMicros: 17_500n, atMs: Date.UTC(2026, 10, 1) + 500 },
      { atMs: 5_000 },
    ]);
    const settlement = {
      ticker: 'A',
      event_ticker: 'E',
      market_result: 'scalar',
      yes_count_fp: '2.00',
      no_count_fp: '0.00',
      revenue: 75,
      value: 37,
      fee_cost: '0.34',
      settled_time: '2026-11-01T00:00:00Z',
    };
    const results = ['yes', 'void', 'a new word', undefined].map((market_result) => ({ ...settlement, market_result }));
    expect(settlementsResponse.parse({ settlements: results }).settlements.map(({ result }) => result)).toEqual([
      'yes',
      'void',
      undefined,
      undefined,
    ]);
    expect(settlementsResponse.parse({ settlements: [settlement] }).settlements).toMatchObject([
      { revenueUsdMicros: 750_000n, valueUsdMicros: 370_000n, tradingFeesUsdMicros: 340_000n },
    ]);
  });
});

describe('a name', () => {
  it.each([['\u0000'], ['a\ud800'], ['ä'], ['x'.repeat(201)]])('is not %j: names are kept', (orderId) => {
    expect(createOrderResponse.safeParse({ order_id: orderId, fill_count: '1.00' }).success).toBe(false);
  });
});

describe('a refusal', () => {
  it.each([
    [{ error: { code: 'no\u0000\ud800', message: 'ö' } }, { code: 'no??', message: '?' }],
    [{ error: { code: 'invalid_price', message: 'no' } }, { code: 'invalid_price', message: 'no' }],
    [
      { code: 'bad_request', message: 'no', details: 'x' },
      { code: 'bad_request', message: 'no' },
    ],
    [{ error: 'too many requests' }, { code: 'too many requests', message: 'too many requests' }],
    ['<html>', { code: '', message: '' }],
    [undefined, { code: '', message: '' }],
  ])('%j is understood', (body, said) => {
    expect(readKalshiError(body)).toEqual(said);
  });
});
