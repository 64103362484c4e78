import { afterEach, describe, expect, it } from '@jest/globals';
import type { ExchangeEvent, FeeType } from '../src/exchange/engine/exchange.js';
import { charge, tradeFeeMicros } from '../src/exchange/engine/fees.js';
import { cents, contracts, HOUR, level, NOON, spec, TestMatchingEngine } from './test-matching-engine.js';

let floor: TestMatchingEngine;
afterEach(() => floor?.close());

const BOOK = { yesBids: [level(40, 10), level(41, 10)], noBids: [level(55, 10), level(57, 5), level(50, 100)] };

function withMarket(more = {}): TestMatchingEngine {
  floor = new TestMatchingEngine((exchange) => exchange.list(spec('M', more), { quotes: BOOK }));
  return floor;
}

const taker = (feeType: FeeType, multiplier = 1_000_000n) => ({ feeType, multiplier });

describe('fees', () => {
  it.each([
    [1, 50, 17_500n],
    [100, 50, 1_750_000n],
    [1, 1, 700n],
    [0.01, 99, 100n],
    [0.03, 33.01, 500n],
  ])('%d contracts at %d cents cost a taker %d micro-dollars, rounded up to $0.0001', (count, price, fee) => {
    const part = { hundredths: contracts(count), priceMicros: cents(price), isTaker: true };
    expect(tradeFeeMicros(taker('quadratic'), part)).toBe(fee);
  });

  it('are what the series says: multiplier, makers, combos, flat', () => {
    const part = { hundredths: contracts(100), priceMicros: cents(50) };
    const fee = (type: FeeType, isTaker: boolean) => tradeFeeMicros(taker(type), { ...part, isTaker });
    expect(tradeFeeMicros(taker('quadratic', 500_000n), { ...part, isTaker: true })).toBe(875_000n);
    expect(fee('quadratic', false)).toBe(0n);
    expect(fee('quadratic_with_maker_fees', false)).toBe(437_500n);
    expect(fee('quadratic_with_combo_maker_fees', false)).toBe(875_000n);
    expect(tradeFeeMicros(taker('flat', 10_000n), { ...part, isTaker: true })).toBe(1_000_000n);
  });

  it.each([
    ['1 at $0.055', 55_000n, 8_500n, [15_000n, 5_000n, 15_000n]],
    ['0.30 at $0.50', 150_000n, 4_100n, [10_000n, 0n, 10_000n]],
    ['0.03 at $0.3301', 9_903n, 500n, [10_097n, 97n, 97n]],
  ])('with roundings and rebates are those of the fact sheet for three fills of %s', (_name, cost, fee, net) => {
    let carried = 0n;
    const charged = net.map(() => {
      const fill = charge(-cost, fee, carried, 10_000n);
      carried = fill.carriedMicros;
      return fill;
    });
    expect(charged.map(({ feeMicros }) => feeMicros)).toEqual(net);
    expect(charged.map(({ cashMicros }) => cashMicros)).toEqual(net.map((paid) => -cost - paid));
  });
});

describe('a rebate', () => {
  it('that is more than a fill is charged waits for one that is charged as much', () => {
    // A cent is due already: of a fill that is charged less, nothing is given back.
    const small = charge(-5_000n, 1_800n, 10_050n);
    expect(small).toEqual({ feeMicros: 1_800n, cashMicros: -6_800n, carriedMicros: 10_050n });
    expect(charge(-500_000n, 17_500n, small.carriedMicros)).toEqual({
      ...{ feeMicros: 7_500n, cashMicros: -507_500n, carriedMicros: 50n },
    });
  });
});

describe('a book', () => {
  it('shows both sides, the best first, and an ask of one as a bid of the other', () => {
    const { exchange } = withMarket();
    expect(exchange.book('M')).toEqual({
      yes: [level(41, 10), level(40, 10)],
      no: [level(57, 5), level(55, 10), level(50, 100)],
    });
  });

  it('gives an order the best prices first, the limit and no worse', () => {
    const { exchange } = withMarket();
    const order = floor.order('M', ['bid', 45, 100]);
    expect(order).toMatchObject({ status: 'canceled', filledHundredths: contracts(15), remainingHundredths: 0n });
    const { fills, cashMicros } = exchange.account();
    expect(fills.map(({ yesPriceMicros, hundredths }) => [yesPriceMicros, hundredths])).toEqual([
      level(43, 5),
      level(45, 10),
    ]);
    const fees = 85_800n + 173_300n;
    expect(order).toMatchObject({ takerCostMicros: cents(43 * 5 + 45 * 10), takerFeesMicros: fees });
    expect(cashMicros).toBe(cents(1_000_00 - 665) - fees);
    expect(exchange.book('M').no).toEqual([level(50, 100)]);
  });

  it('lets the older of two orders at one price trade first', () => {
    const { exchange } = withMarket();
    const ids = [5, 5].map((count) => {
      const { orderId } = floor.order('M', ['bid', 42, count], { timeInForce: 'good_till_canceled' });
      return orderId;
    });
    exchange.setQuotes('M', { yesBids: [], noBids: [level(58, 7)] });
    expect(ids.map((id) => exchange.order(id))).toMatchObject([
      { status: 'executed', filledHundredths: 500n, makerCostMicros: cents(210), makerFeesMicros: 0n },
      { status: 'resting', filledHundredths: 200n, remainingHundredths: 300n },
    ]);
    expect(exchange.book('M').no).toEqual([]);
  });

  it('tells levels that changed, once for each step', () => {
    const { exchange } = withMarket();
    const events: ExchangeEvent[] = [];
    exchange.on((event) => events.push(event));
    floor.order('M', ['bid', 45, 8]);
    expect(events.map(({ kind }) => kind)).toEqual([
      ...['fill', 'position', 'trade', 'fill', 'position', 'trade', 'order', 'book', 'book'],
    ]);
    expect(events.filter((event) => event.kind === 'book')).toMatchObject([
      { outcome: 'no', priceMicros: cents(57), deltaHundredths: -500n },
      { outcome: 'no', priceMicros: cents(55), deltaHundredths: -300n },
    ]);
    events.length = 0;
    exchange.setQuotes('M', { yesBids: BOOK.yesBids, noBids: [] });
    expect(events.map((event) => event.kind === 'book' && event.outcome)).toEqual(['no', 'no']);
  });
});

describe('an order', () => {
  it('of fill-or-kill fills completely or cancels, and consumes its client ID', () => {
    withMarket();
    const kill = { timeInForce: 'fill_or_kill', clientOrderId: 'mine' } as const;
    expect(() => floor.order('M', ['bid', 45, 15.01], kill)).toThrow('fill_or_kill_insufficient_resting_volume');
    expect(floor.exchange.account()).toMatchObject({ orders: [], fills: [] });
    expect(() => floor.order('M', ['bid', 45, 15], kill)).toThrow('order_already_exists');
    expect(floor.order('M', ['bid', 45, 15], { timeInForce: 'fill_or_kill' }).status).toBe('executed');
  });

  it('is refused off the grid, for nothing, past its end, and after the market has stopped', () => {
    withMarket();
    expect(() => floor.order('M', ['bid', 45.5, 1])).toThrow('invalid_price');
    expect(() => floor.order('M', ['bid', 100, 1])).toThrow('invalid_price');
    expect(() => floor.order('M', ['bid', 0, 1])).toThrow('invalid_price');
    expect(() => floor.order('M', ['bid', 45, 0])).toThrow('count');
    expect(() => floor.order('M', ['bid', 45, 1], { expiresMs: NOON + HOUR })).toThrow('never rests');
    expect(() => floor.order('N', ['bid', 45, 1])).toThrow('no market N');
    floor.exchange.setStatus('M', 'paused');
    expect(() => floor.order('M', ['bid', 45, 1])).toThrow('TRADING_PAUSED');
    floor.exchange.setTrading(false);
    expect(() => floor.order('M', ['bid', 45, 1])).toThrow('EXCHANGE_PAUSED');
    floor.exchange.setTrading(true);
    floor.exchange.setStatus('M', 'closed');
    expect(() => floor.order('M', ['bid', 45, 1])).toThrow('MARKET_INACTIVE');
  });

  it('keeps to a finer grid where the market has one', () => {
    const tapered = [
      { startMicros: 0n, endMicros: 100_000n, stepMicros: 1_000n },
      { startMicros: 100_000n, endMicros: 900_000n, stepMicros: 10_000n },
      { startMicros: 900_000n, endMicros: 1_000_000n, stepMicros: 1_000n },
    ];
    withMarket({ priceRanges: tapered });
    expect(() => floor.order('M', ['bid', 10.1, 1])).toThrow('invalid_price');
    expect(floor.order('M', ['bid', 9.9, 1]).filledHundredths).toBe(0n);
    floor.exchange.setQuotes('M', { yesBids: [], noBids: [level(90.3, 10)] });
    expect(floor.order('M', ['bid', 9.7, 0.01])).toMatchObject({ filledHundredths: 1n, takerCostMicros: 970n });
    // 0.01 × $0.097 = $0.00097 and a fee of $0.0001: the cash moves by $0.0011.
    expect(floor.exchange.account()).toMatchObject({ cashMicros: cents(1_000_00) - 1_100n });
    expect(floor.exchange.account().fills[0]!.feeMicros).toBe(130n);
  });

  it('needs the cash for its limit and the dearest fee on the way there, to the micro-dollar', () => {
    const need = cents(45 * 10) + 173_300n + 400n;
    floor = new TestMatchingEngine((exchange) => exchange.list(spec('M'), { quotes: BOOK }), need - 100n);
    expect(() => floor.order('M', ['bid', 45, 10])).toThrow('insufficient_balance');
    floor.exchange.adjustCash(100n);
    const before = floor.exchange.account().cashMicros;
    expect(floor.order('M', ['bid', 45, 10]).status).toBe('executed');
    const [first, second] = floor.exchange.account().fills;
    expect(before + first!.cashMicros + second!.cashMicros).toBe(floor.exchange.account().cashMicros);
  });

  it('that rests holds its cost back, and gives it back when it ends or is reduced', () => {
    const { exchange } = withMarket();
    const order = floor.order('M', ['ask', 60, 10], { timeInForce: 'good_till_canceled', expiresMs: NOON + HOUR });
    expect(exchange.account().balanceMicros).toBe(cents(1_000_00 - 400));
    exchange.reduceOrder(order.orderId, contracts(4));
    expect(exchange.account().balanceMicros).toBe(cents(1_000_00 - 160));
    expect(() => exchange.reduceOrder(order.orderId, contracts(4))).toThrow('not a reduction');
    floor.nowMs += HOUR;
    expect(exchange.account().balanceMicros).toBe(cents(1_000_00));
    expect(exchange.order(order.orderId)).toMatchObject({ status: 'canceled', updatedMs: NOON + HOUR });
    expect(() => exchange.reduceOrder(order.orderId, 0n)).toThrow('the order is canceled');
  });

  it('never trades with the account itself: the one that came stops, or the one that rests goes', () => {
    const { exchange } = withMarket();
    const rests = floor.order('M', ['ask', 42, 3], { timeInForce: 'good_till_canceled' });
    expect(floor.order('M', ['bid', 43, 3])).toMatchObject({ status: 'canceled', filledHundredths: 0n });
    expect(floor.order('M', ['bid', 43, 3], { selfTradePrevention: 'maker' }).filledHundredths).toBe(contracts(3));
    expect(exchange.order(rests.orderId).status).toBe('canceled');
  });

  it('is cut to what it may close when it only reduces, and refused when that is nothing', () => {
    withMarket();
    const reduce = { isReduceOnly: true };
    expect(() => floor.order('M', ['ask', 41, 5], reduce)).toThrow('nothing to close');
    floor.order('M', ['bid', 43, 2]);
    expect(floor.order('M', ['ask', 41, 5], reduce)).toMatchObject({ status: 'executed', initialHundredths: 200n });
    expect(() =>
      floor.order('M', ['bid', 42, 1], { isPostOnly: true, timeInForce: 'good_till_canceled' }),
    ).not.toThrow();
    expect(() => floor.order('M', ['bid', 43, 1], { isPostOnly: true, timeInForce: 'good_till_canceled' })).toThrow(
      'post only',
    );
  });

  it('fills in part when a fault says so', () => {
    withMarket();
    const order = floor.order('M', ['bid', 45, 8], { fillAtMost: contracts(6) });
    expect(order).toMatchObject({ status: 'canceled', filledHundredths: contracts(6) });
  });
});

describe('one account with both sides', () => {
  it('has the difference, and a dollar for each pair', () => {
    const { exchange } = withMarket();
    floor.order('M', ['bid', 43, 5]);
    const before = exchange.account().cashMicros;
    const sold = floor.order('M', ['ask', 41, 8]);
    const fee = 135_500n;
    expect(sold).toMatchObject({ takerCostMicros: cents(59 * 8), takerFeesMicros: fee });
    expect(exchange.account().cashMicros).toBe(before + cents(500 - 59 * 8) - fee);
    expect(exchange.account().positions).toMatchObject([
      {
        hundredths: -contracts(3),
        exposureMicros: cents(59 * 3),
        tradedMicros: cents(43 * 5 + 59 * 8),
        realizedMicros: cents((41 - 43) * 5),
      },
    ]);
    expect(exchange.market('M')!.openInterestHundredths).toBe(contracts(3));
  });

  it('closes without cash of its own', () => {
    floor = new TestMatchingEngine((exchange) => exchange.list(spec('M'), { quotes: BOOK }), cents(43 * 5 + 10));
    floor.order('M', ['bid', 43, 5]);
    const { exchange } = floor;
    exchange.adjustCash(-exchange.account().cashMicros);
    expect(() => floor.order('M', ['ask', 41, 9])).toThrow('insufficient_balance');
    floor.order('M', ['ask', 41, 5]);
    expect(exchange.account().cashMicros).toBe(cents(41 * 5) - 84_700n);
    expect(exchange.account().positions).toMatchObject([{ hundredths: 0n, exposureMicros: 0n }]);
  });
});
