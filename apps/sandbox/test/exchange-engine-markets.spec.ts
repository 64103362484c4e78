import { afterEach, describe, expect, it } from '@jest/globals';
import { cents, HOUR, level, NOON, spec, TestMatchingEngine } from './test-matching-engine.js';

let floor: TestMatchingEngine;
afterEach(() => floor.close());

const BOOK = { yesBids: [level(40, 10), level(41, 10)], noBids: [level(55, 10), level(57, 5), level(50, 100)] };

function withMarket(more = {}): TestMatchingEngine {
  floor = new TestMatchingEngine((exchange) => exchange.list(spec('M', more), { quotes: BOOK }));
  return floor;
}

describe('a market', () => {
  it('opens and closes by itself, and closing cancels what rests', () => {
    floor = new TestMatchingEngine((exchange) =>
      exchange.list(spec('M', { openTimeMs: NOON + HOUR, closeTimeMs: NOON + 2 * HOUR }), { quotes: BOOK }),
    );
    const { exchange } = floor;
    const lives: unknown[] = [];
    exchange.on((event) => event.kind === 'lifecycle' && lives.push([event.step, event.timeMs]));
    expect(exchange.market('M')!.status).toBe('initialized');
    expect(() => floor.order('M', ['bid', 45, 1])).toThrow('MARKET_INACTIVE');
    floor.nowMs = NOON + HOUR + 5;
    expect(exchange.market('M')!.status).toBe('active');
    const { orderId } = floor.order('M', ['bid', 42, 1], { timeInForce: 'good_till_canceled' });
    floor.nowMs = NOON + 3 * HOUR;
    expect(exchange.market('M')!.status).toBe('closed');
    expect(exchange.order(orderId)).toMatchObject({ status: 'canceled', updatedMs: NOON + 2 * HOUR });
    expect(exchange.book('M')).toEqual({ yes: [], no: [] });
    expect(lives).toEqual([['activated', NOON + HOUR]]);
    expect(() => exchange.setQuotes('M', BOOK)).toThrow('is closed');
    exchange.setStatus('M', 'open');
    expect(exchange.market('M')).toMatchObject({ status: 'active', closeTimeMs: NOON + 27 * HOUR });
  });

  it('that goes on after a pause has canceled what rested; some orders go with the pause', () => {
    const { exchange } = withMarket();
    const rest = { timeInForce: 'good_till_canceled' } as const;
    const stays = floor.order('M', ['bid', 42, 1], rest);
    const goes = floor.order('M', ['bid', 42, 1], { ...rest, cancelsOnPause: true });
    exchange.setStatus('M', 'paused');
    expect([stays, goes].map(({ orderId }) => exchange.order(orderId).status)).toEqual(['resting', 'canceled']);
    exchange.setStatus('M', 'open');
    expect(exchange.order(stays.orderId).status).toBe('canceled');
    expect(exchange.book('M').yes).toEqual([level(41, 10), level(40, 10)]);
  });

  it('is determined first and pays when its timer has run', () => {
    const { exchange } = withMarket();
    floor.order('M', ['bid', 43, 5]);
    const { cashMicros } = exchange.account();
    exchange.determine('M', { result: 'yes' });
    expect(exchange.market('M')).toMatchObject({ status: 'determined', result: 'yes', closeTimeMs: NOON });
    floor.nowMs += 59_999;
    expect(exchange.account()).toMatchObject({ cashMicros, settlements: [] });
    floor.nowMs += 10_000;
    expect(exchange.account()).toMatchObject({
      cashMicros: cashMicros + cents(500),
      positions: [],
      settlements: [{ ticker: 'M', yesHundredths: 500n, yesCostMicros: cents(215), timeMs: NOON + 60_000 }],
    });
    expect(exchange.market('M')).toMatchObject({ status: 'finalized', settledAtMs: NOON + 60_000 });
    expect(() => exchange.settle('M', { result: 'no' })).toThrow('finalized');
    expect(() => exchange.setStatus('M', 'open')).toThrow('finalized');
    expect(exchange.account(NOON + 59_999)).toMatchObject({ cashMicros, positions: [{ hundredths: 500n }] });
  });

  it.each([
    [{ result: 'no' }, 'bid', 0],
    [{ result: 'yes' }, 'ask', 0],
    [{ result: 'no' }, 'ask', 250],
    [{ result: 'scalar', valueCents: 37 }, 'bid', 92],
    [{ result: 'scalar', valueCents: 37 }, 'ask', 157],
    [{ result: 'void', valueCents: 50 }, 'bid', 125],
    [{ result: 'void' }, 'bid', 107],
  ] as const)('that ends %j pays 2.5 contracts of a %s %d cents', (ending, side, paid) => {
    const { exchange } = withMarket();
    floor.order('M', [side, side === 'bid' ? 43 : 41, 2.5]);
    const { cashMicros } = exchange.account();
    exchange.settle('M', ending);
    expect(exchange.account().cashMicros).toBe(cashMicros + cents(paid));
    expect(exchange.account().settlements[0]!.revenueMicros).toBe(cents(paid));
  });

  it('pays only holders, and no scalar without a value', () => {
    const { exchange } = withMarket();
    expect(() => exchange.settle('M', { result: 'scalar' })).toThrow('valueCents');
    expect(() => exchange.settle('M', { result: 'scalar', valueCents: 101 })).toThrow('valueCents');
    exchange.settle('M', { result: 'yes' });
    expect(exchange.account().settlements).toEqual([]);
  });

  it('may be added; one of the name there is already, one that never opens, an inexact grid may not', () => {
    const { exchange } = withMarket();
    exchange.addMarket(spec('N'));
    expect(exchange.market('N')).toMatchObject({ status: 'active', updatedMs: NOON });
    expect(() => exchange.addMarket(spec('N'))).toThrow('taken');
    expect(() => exchange.addMarket(spec('O', { closeTimeMs: NOON - 2 * HOUR }))).toThrow('closeTime');
    const priceRanges = [{ startMicros: 0n, endMicros: 1_000_000n, stepMicros: 50n }];
    expect(() => exchange.addMarket(spec('O', { priceRanges }))).toThrow('priceRanges');
    expect(() => exchange.addMarket(spec('O', { feeMultiplier: '1e3' }))).toThrow('feeMultiplier');
  });

  it('takes no quotes that cross, have no price, or count nothing', () => {
    const { exchange } = withMarket();
    const quote =
      (yes: number, no: number, count = 1) =>
      () =>
        exchange.setQuotes('M', { yesBids: [level(yes, count)], noBids: [level(no, count)] });
    expect(quote(50, 50)).toThrow('less than a dollar');
    expect(quote(50.5, 40)).toThrow('invalid_price');
    expect(quote(50, 40, 0)).toThrow('positive');
    expect(quote(50, 49)).not.toThrow();
  });

  it('counts what traded: last price, volume, the last day', () => {
    const past = { lastPriceMicros: cents(30), previousPriceMicros: cents(20), volumeHundredths: 700n };
    withMarket({ past: { ...past, volume24hHundredths: 100n, openInterestHundredths: 50n } });
    const { exchange } = floor;
    floor.order('M', ['bid', 43, 1]);
    floor.nowMs += HOUR;
    floor.order('M', ['ask', 41, 2]);
    expect(exchange.market('M')).toMatchObject({ lastPriceMicros: cents(41), previousPriceMicros: cents(43) });
    expect(exchange.market('M')).toMatchObject({ volumeHundredths: 1_000n, openInterestHundredths: 150n });
    expect(exchange.volume24h('M')).toBe(400n);
    floor.nowMs = NOON + 24 * HOUR;
    expect(exchange.volume24h('M')).toBe(300n);
    expect(exchange.trades()).toMatchObject([{ takerOutcome: 'yes' }, { takerOutcome: 'no' }]);
  });
});

describe('passing quotes', () => {
  it('are gone after a restart unless an order traded on them, and then every fill is the same', () => {
    withMarket();
    const passing = { yesBids: [level(10, 1)], noBids: [level(80, 3)] };
    floor.exchange.setQuotes('M', passing, { isPassing: true });
    const { bytes } = floor.journal;
    floor.open();
    expect(floor.journal.bytes).toBe(bytes);
    expect(floor.exchange.book('M').yes[0]).toEqual(level(41, 10));
    floor.exchange.setQuotes('M', passing, { isPassing: true });
    floor.order('M', ['bid', 20, 2]);
    const before = floor.exchange.account();
    expect(before.fills).toMatchObject([{ yesPriceMicros: cents(20) }]);
    floor.open();
    expect(floor.exchange.account()).toEqual(before);
    expect(floor.exchange.book('M').no).toEqual([level(80, 1)]);
  });
});

it('has a balance of its own from its first start on', () => {
  floor = new TestMatchingEngine();
  expect(floor.exchange.account().cashMicros).toBe(cents(1_000_00));
  expect(() => floor.exchange.adjustCash(-cents(1_000_01))).toThrow('insufficient_balance');
  floor.exchange.adjustCash(-cents(100));
  floor.open();
  expect(floor.exchange.account().cashMicros).toBe(cents(999_00));
});

describe('a market of the beginning', () => {
  it('may begin paused or settled, and is not written down', () => {
    floor = new TestMatchingEngine((exchange) => {
      exchange.list(spec('M'), { quotes: BOOK, isPaused: true });
      exchange.list(spec('N', { closeTimeMs: NOON - 60_000 }), { quotes: BOOK, settled: { result: 'no' } });
    });
    const { exchange } = floor;
    expect(exchange.market('M')!.status).toBe('inactive');
    expect(exchange.market('N')).toMatchObject({ status: 'finalized', result: 'no', settledAtMs: NOON });
    expect(exchange.book('N')).toEqual({ yes: [], no: [] });
    expect(() => exchange.list(spec('M'))).toThrow('taken');
    const { bytes } = floor.journal;
    floor.open();
    expect(floor.journal.bytes).toBe(bytes);
  });
});
