import { describe, expect, it } from '@jest/globals';
import { postedOf } from './filled-amounts.js';

type Fill = Parameters<typeof postedOf>[1][number];

const BUY = { ticker: 'A', side: 'yes', action: 'buy', count: 1_000n, limitUsdMicros: 650_000n } as const;
const SALE = { ...BUY, action: 'sell', limitUsdMicros: 600_000n } as const;
const FILL: Fill = {
  fillId: 'f',
  ticker: 'A',
  side: 'yes',
  count: 1_000n,
  feeUsdMicros: 10_000n,
  atMs: 5,
  yesPriceUsdMicros: 650_000n,
  noPriceUsdMicros: 350_000n,
};
const SOLD: Fill = { ...FILL, side: 'no', yesPriceUsdMicros: 600_000n, noPriceUsdMicros: 400_000n };
const ESCROW = 7_000_000n;

const buy = (...fills: readonly Fill[]) => postedOf(BUY, fills, ESCROW);
const sell = (...fills: readonly Fill[]) => postedOf(SALE, fills, 0n);

describe('what fills come to', () => {
  it('is counted at the limit, both ways', () => {
    expect(buy(FILL)).toEqual({ totalUsdMicros: 6_500_000n, feeUsdMicros: 10_000n, filledAtMs: 5 });
    expect(sell(SOLD)).toEqual({ totalUsdMicros: 6_000_000n, feeUsdMicros: 10_000n, filledAtMs: 5 });
  });

  it('credits no agent with a negative fee, and is still computed', () => {
    const back = { feeUsdMicros: -10_000n };
    expect(buy({ ...FILL, ...back })).toMatchObject({ totalUsdMicros: 6_500_000n, feeUsdMicros: 0n });
    expect(sell({ ...SOLD, ...back })).toMatchObject({ totalUsdMicros: 6_000_000n, feeUsdMicros: 0n });
    // A hundredth of a contract costs less than that.
    const cent = { count: 1n, ...back };
    expect(buy({ ...FILL, ...cent })).toMatchObject({ totalUsdMicros: 6_500n, feeUsdMicros: 0n });
    expect(sell({ ...SOLD, ...cent })).toMatchObject({ totalUsdMicros: 6_000n, feeUsdMicros: 0n });
  });

  it('of none is nothing', () => {
    expect(buy()).toEqual({ totalUsdMicros: 0n, feeUsdMicros: 0n });
  });
});

describe('fills that an order cannot have', () => {
  const over = { yesPriceUsdMicros: 650_001n, noPriceUsdMicros: 349_999n };
  const under = { yesPriceUsdMicros: 599_999n, noPriceUsdMicros: 400_001n };

  it.each<[string, () => unknown]>([
    ['a purchase above its limit', () => buy({ ...FILL, ...over })],
    ['a sale below its limit', () => sell({ ...SOLD, ...under })],
    ['more than was ordered', () => buy({ ...FILL, count: 1_001n })],
    ['more than was ordered, together', () => buy(FILL, { ...FILL, fillId: 'g', count: 1n })],
    ['a fee beyond any', () => sell({ ...SOLD, feeUsdMicros: 5_000_000n })],
    ['a fee that gives money', () => buy({ ...FILL, feeUsdMicros: -3_000_000n })],
    ['another market', () => buy({ ...FILL, ticker: 'B' })],
    ['another side', () => buy({ ...FILL, side: 'no' })],
    ['prices that are no dollar together', () => buy({ ...FILL, noPriceUsdMicros: 340_000n })],
  ])('are %s', (_, book) => {
    expect(book).toThrow(/exchange reports/);
  });
});
