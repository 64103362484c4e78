import { describe, expect, it } from '@jest/globals';
import { assertOnTick, buyLimit, type LimitTerms, type SaleLimitTerms, sellLimit, walk } from './limit-price.js';

const CENT = 10_000n;
const CENTS = [{ startUsdMicros: 0n, endUsdMicros: 1_000_000n, stepUsdMicros: CENT }];
const TENTHS = [{ startUsdMicros: 0n, endUsdMicros: 1_000_000n, stepUsdMicros: 1_000n }];
const level = (cents: number, contracts: number) => ({
  priceUsdMicros: BigInt(Math.round(cents * 10_000)),
  count: BigInt(contracts) * 100n,
});

function terms(over: Partial<LimitTerms> = {}): LimitTerms {
  return {
    ticker: 'T',
    side: 'yes',
    levels: [level(42, 3), level(43, 7), level(60, 100)],
    count: 1_000n,
    wantedUsdMicros: undefined,
    toleranceUsdMicros: 2n * CENT,
    priceRanges: CENTS,
    ...over,
  };
}

describe('the limit of a buy', () => {
  it.each<[string, Partial<LimitTerms>, number | bigint]>([
    ['is the worst level it needs and the tolerance', {}, 45n],
    ['reaches a level for its last hundredth of a contract', { count: 1_001n }, 62n],
    ['is made of the whole book when that is too small', { count: 1_000_000n }, 62n],
    ['is what was said, when something was', { wantedUsdMicros: 42n * CENT }, 42n],
    [
      'is above 99 cents when that was said',
      { wantedUsdMicros: 995_000n, levels: [level(99.5, 10)], priceRanges: TENTHS },
      99.5,
    ],
    ['is 99 cents at most', { levels: [level(98, 10)] }, 99n],
  ])('%s', (_, over, cents) => {
    const limit = { limitUsdMicros: level(Number(cents), 1).priceUsdMicros, isMet: true };
    expect(buyLimit(terms(over))).toEqual(limit);
    expect(buyLimit(terms({ ...over, side: 'no' }))).toEqual(limit);
  });

  it('lies on the grid, and never above what was said', () => {
    const even = [{ startUsdMicros: 0n, endUsdMicros: 1_000_000n, stepUsdMicros: 2n * CENT }];
    const limit = { limitUsdMicros: 44n * CENT, isMet: true };
    expect(buyLimit(terms({ wantedUsdMicros: 45n * CENT, priceRanges: even }))).toEqual(limit);
    expect(buyLimit(terms({ wantedUsdMicros: 45n * CENT, priceRanges: even, side: 'no' }))).toEqual(limit);
  });

  it('is the stated price, and not met, when the book is above it', () => {
    expect(buyLimit(terms({ wantedUsdMicros: 41n * CENT }))).toEqual({ limitUsdMicros: 41n * CENT, isMet: false });
    const coarse = [{ startUsdMicros: 0n, endUsdMicros: 1_000_000n, stepUsdMicros: 50n * CENT }];
    expect(buyLimit(terms({ wantedUsdMicros: 45n * CENT, priceRanges: coarse }))).toMatchObject({ isMet: false });
  });

  it.each<[string, Partial<LimitTerms>]>([
    ['an empty book', { levels: [] }],
    ['an empty book, even with a stated price', { levels: [], wantedUsdMicros: 41n * CENT }],
    ['a book above 99 cents', { levels: [level(99.5, 10)], priceRanges: TENTHS }],
  ])('is none for %s', (_, over) => {
    expect(() => buyLimit(terms(over))).toThrow(expect.objectContaining({ code: 'NO_LIQUIDITY' }));
  });
});

/** The middle is 5.5 cents. */
const WIDE = { levels: [level(1, 100)], asks: [level(10, 100)] };

describe('the limit of a sale', () => {
  const bids = [level(40, 3), level(39, 7), level(2, 100)];
  const sale = (over: Partial<SaleLimitTerms> = {}): SaleLimitTerms => ({
    ...{ ...terms({ levels: bids }), asks: [level(42, 10)], maxLossBps: undefined },
    ...over,
  });

  it.each<[string, Partial<SaleLimitTerms>, bigint]>([
    ['is the worst level it needs less the tolerance', {}, 37n],
    ['is the first price above nothing at least', { levels: [level(1, 100)], asks: [level(2, 1)] }, 1n],
    ['is a tenth and two cents below the middle of the book at least', { count: 2_000n }, 35n],
    ['is half and two cents below it at least where a price was said', { wantedUsdMicros: CENT }, 19n],
    ['is as far below it as the owner lets trades lose', { count: 2_000n, maxLossBps: 100 }, 39n],
    [
      'is as far below it as the owner lets trades lose, with a stated price too',
      { wantedUsdMicros: CENT, maxLossBps: 100 },
      39n,
    ],
    ['takes a cheap bid in a wide book where a price was said', { ...WIDE, wantedUsdMicros: CENT }, 1n],
    ['is what was said, when something was', { wantedUsdMicros: 40n * CENT }, 40n],
  ])('%s', (_, over, cents) => {
    const limit = { limitUsdMicros: cents * CENT, isMet: true };
    expect(sellLimit(sale(over))).toEqual(limit);
    expect(sellLimit(sale({ ...over, side: 'no' }))).toEqual(limit);
  });

  it('is the stated price, and not met, when the book is below it', () => {
    expect(sellLimit(sale({ wantedUsdMicros: 41n * CENT }))).toEqual({
      limitUsdMicros: 41n * CENT,
      isMet: false,
    });
  });

  it.each<[string, Partial<LimitTerms>]>([
    ['an empty book', { levels: [] }],
    ['an empty book, even with a stated price', { levels: [], wantedUsdMicros: 41n * CENT }],
  ])('is none for %s', (_, over) => {
    expect(() => sellLimit(sale(over))).toThrow(expect.objectContaining({ code: 'NO_LIQUIDITY' }));
  });

  it.each<[string, Partial<SaleLimitTerms>]>([
    ['far below the asks', { levels: [level(1, 100)], asks: [level(53, 100)] }],
    [
      'far below the asks, with a stated price too',
      { levels: [level(1, 100)], asks: [level(53, 100)], wantedUsdMicros: CENT },
    ],
    ['of a cent without an ask', { levels: [level(1, 100)], asks: [], wantedUsdMicros: CENT }],
    ['in a wide book where no price was said', WIDE],
  ])('is none for bids %s', (_, over) => {
    const message = expect.stringContaining('is far below the middle of the order book');
    expect(() => sellLimit(sale(over))).toThrow(expect.objectContaining({ code: 'NO_LIQUIDITY', message }));
  });
});

describe('a stated limit', () => {
  const tapered = [
    { startUsdMicros: 0n, endUsdMicros: 100_000n, stepUsdMicros: 1_000n },
    { startUsdMicros: 100_000n, endUsdMicros: 1_000_000n, stepUsdMicros: CENT },
  ];
  const check = (price: bigint, side: 'yes' | 'no') =>
    assertOnTick('maxPriceDollars', price, { side, priceRanges: tapered });

  it.each([
    [5_000n, 'yes'],
    [995_000n, 'no'],
    [620_000n, 'yes'],
  ] as const)('of %d micro-dollars for %s is a price of the market', (price, side) => {
    expect(() => check(price, side)).not.toThrow();
  });

  it.each([
    [5_500n, 'yes', '0.001, such as 0.005 or 0.006'],
    [5_500n, 'no', '0.01, such as 0.01'],
    [995_000n, 'yes', '0.01, such as 0.99'],
    [994_500n, 'no', '0.001, such as 0.994 or 0.995'],
  ] as const)('of %d micro-dollars for %s is off the tick of %s', (price, side, tick) => {
    const reason = `must be on the market's tick of ${tick}`;
    expect(() => check(price, side)).toThrow(
      expect.objectContaining({ details: [expect.objectContaining({ reason })] }),
    );
  });
});

describe('a walk through the book', () => {
  it('takes the better levels first, and nothing beyond the limit', () => {
    const { levels } = terms();
    expect(walk(levels, { action: 'buy', limit: 43n * CENT, count: 500n })).toEqual([level(42, 3), level(43, 2)]);
    expect(walk(levels, { action: 'buy', limit: 42n * CENT, count: 500n })).toEqual([level(42, 3)]);
    expect(walk([level(40, 3), level(39, 7)], { action: 'sell', limit: 40n * CENT, count: 500n })).toEqual([
      level(40, 3),
    ]);
  });
});
