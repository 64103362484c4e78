import { propertyRuns } from '@agent-wallet/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Level, Refusal } from '../src/exchange/engine/exchange.js';
import { cents, HOUR, spec, TestMatchingEngine } from './test-matching-engine.js';

const TICKERS = ['CENT', 'DECI', 'COMBO'] as const;
const FIRST_CASH = cents(200_00);

const DECI = [{ startMicros: 0n, endMicros: 1_000_000n, stepMicros: 1_000n }];

let floor: TestMatchingEngine;
afterEach(() => floor.close());

const ticker = fc.constantFrom(...TICKERS);
const price = fc.integer({ min: 1, max: 99 });
const count = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 6_000 }));

const move = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('order' as const),
      ticker,
      side: fc.constantFrom('bid' as const, 'ask' as const),
      price,
      count,
      timeInForce: fc.constantFrom('immediate_or_cancel', 'immediate_or_cancel', 'fill_or_kill', 'good_till_canceled'),
      selfTradePrevention: fc.constantFrom('taker_at_cross', 'maker'),
      fillAtMost: fc.option(fc.bigInt({ min: 1n, max: 500n }), { nil: undefined, freq: 8 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('quotes' as const),
      ticker,
      middle: price,
      count,
      isPassing: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pause' as const), ticker }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 20_000 }) }) },
);

type Move = typeof move extends fc.Arbitrary<infer T> ? T : never;

function make(step: Move): void {
  const { exchange } = floor;
  switch (step.kind) {
    case 'order': {
      const { side, timeInForce, selfTradePrevention, fillAtMost } = step;
      floor.order(step.ticker, [side, step.price, step.count / 100], { timeInForce, selfTradePrevention, fillAtMost });
      return;
    }
    case 'quotes': {
      const near = (from: number): Level[] =>
        [1, 2, 3].map((depth): Level => [cents(from - depth), BigInt(step.count)]).filter(([micros]) => micros > 0n);
      const quotes = { yesBids: near(step.middle), noBids: near(100 - step.middle) };
      exchange.setQuotes(step.ticker, quotes, { isPassing: step.isPassing });
      return;
    }
    case 'pause':
      exchange.setStatus(step.ticker, 'paused');
      exchange.setStatus(step.ticker, 'open');
      return;
    case 'restart':
      return floor.open();
    case 'wait':
      floor.nowMs += step.ms;
      return;
    case 'cancel': {
      const resting = exchange.account().orders.find(({ status }) => status === 'resting');
      if (resting) exchange.reduceOrder(resting.orderId, 0n);
    }
  }
}

/** What an account must have that bought these contracts, reckoned in one go from its fills. */
function expectSoundAccount(): void {
  const { fills, positions, orders } = floor.exchange.account();
  const held = new Map<string, bigint>();
  for (const { ticker, outcome, hundredths, yesPriceMicros, feeMicros, cashMicros: moved } of fills) {
    const before = held.get(ticker) ?? 0n;
    const after = before + (outcome === 'yes' ? hundredths : -hundredths);
    const own = outcome === 'yes' ? yesPriceMicros : 1_000_000n - yesPriceMicros;
    const size = (n: bigint) => (n < 0n ? -n : n);
    const closed = (size(before) + hundredths - size(after)) / 2n;
    expect(feeMicros >= 0n).toBe(true);
    expect(moved).toBe(closed * 10_000n - (own * hundredths) / 100n - feeMicros);
    held.set(ticker, after);
  }
  expect(new Map(positions.map(({ ticker, hundredths }) => [ticker, hundredths]))).toEqual(held);
  for (const order of orders) {
    const own = fills.filter(({ orderId }) => orderId === order.orderId);
    expect(own.reduce((sum, { hundredths }) => sum + hundredths, 0n)).toBe(order.filledHundredths);
    expect(own.reduce((sum, { feeMicros }) => sum + feeMicros, 0n)).toBe(order.takerFeesMicros + order.makerFeesMicros);
    if (order.status !== 'resting') expect(order.remainingHundredths).toBe(0n);
  }
}

function expectSoundCash(): void {
  const { cashMicros, balanceMicros, fills } = floor.exchange.account();
  expect(cashMicros).toBe(fills.reduce((sum, fill) => sum + fill.cashMicros, FIRST_CASH));
  expect(cashMicros % 100n).toBe(0n);
  expect(balanceMicros >= 0n && balanceMicros <= cashMicros).toBe(true);
}

function expectSoundOrderBooks(): void {
  for (const name of TICKERS) {
    const { yes, no } = floor.exchange.book(name);
    const [bestYes] = yes[0] ?? [0n];
    const [bestNo] = no[0] ?? [0n];
    expect(bestYes + bestNo < 1_000_000n).toBe(true);
    expect([...yes, ...no].every(([, hundredths]) => hundredths > 0n)).toBe(true);
  }
}

describe('an exchange after any sequence of calls', () => {
  it('keeps cash, positions and orders exact, and reads back as it was', () => {
    fc.assert(
      fc.property(
        fc.array(move, { minLength: 40, maxLength: 120 }),
        fc.integer({ min: 0, max: 100 }),
        (moves, value) => {
          floor?.close();
          floor = new TestMatchingEngine((exchange) => {
            exchange.list(spec('CENT'));
            exchange.list(spec('DECI', { priceRanges: DECI, closeTimeMs: Date.UTC(2026, 0, 1, 12) + HOUR }));
            exchange.list(spec('COMBO', { feeType: 'quadratic_with_combo_maker_fees' }));
          }, FIRST_CASH);
          for (const step of moves) {
            try {
              make(step);
            } catch (error) {
              if (!(error instanceof Refusal)) throw error;
            }
            expectSoundOrderBooks();
            expectSoundCash();
          }
          expectSoundAccount();
          expectSameAfterRestart();
          expectSoundSettlement(value);
          expectSameAfterRestart();
        },
      ),
      { numRuns: propertyRuns(12) },
    );
  });
});

function expectSameAfterRestart(): void {
  const before = floor.exchange.account();
  const states = JSON.stringify([...floor.exchange.markets()].map(({ ticker, status }) => [ticker, status]));
  floor.open();
  expect(floor.exchange.account()).toEqual(before);
  expect(JSON.stringify([...floor.exchange.markets()].map(({ ticker, status }) => [ticker, status]))).toBe(states);
}

function expectSoundSettlement(valueCents: number): void {
  const { exchange } = floor;
  const { cashMicros, positions } = exchange.account();
  let revenue = 0n;
  for (const { ticker: name, hundredths } of positions) {
    exchange.settle(name, { result: 'scalar', valueCents });
    const worth = hundredths > 0n ? cents(valueCents) * hundredths : cents(100 - valueCents) * -hundredths;
    revenue += (worth / 1_000_000n) * 10_000n;
  }
  expect(exchange.account().cashMicros).toBe(cashMicros + revenue);
  expect(exchange.account().positions).toEqual([]);
}
