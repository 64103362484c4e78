import { describe, expect, it } from '@jest/globals';
import {
  feeTermsOf,
  isPossibleFee,
  roundingAllowanceUsdMicros,
  takerFeeUsdMicros,
  worstTakerFeeUsdMicros,
} from './fees.js';

const terms = feeTermsOf('quadratic', '1')!;

describe('the fee of a fill', () => {
  it.each([
    // The exchange's own examples: one at 50 cents is 1.75 cents, a hundred are 1.75 dollars.
    [500_000n, 100n, 17_500n],
    [500_000n, 10_000n, 1_750_000n],
    // 0.07 · 0.03 · 0.3301 · 0.6699 = 0.000464…, up to $0.0001.
    [330_100n, 3n, 500n],
    [10_000n, 100n, 700n],
    [990_000n, 100n, 700n],
  ])('at %d micro-dollars for %d hundredths is %d', (priceUsdMicros, count, fee) => {
    expect(takerFeeUsdMicros(terms, { priceUsdMicros, count })).toBe(fee);
  });

  it('follows the multiplier, and is unknown for terms that cannot be calculated', () => {
    expect(feeTermsOf('quadratic_with_maker_fees', '0.5')).toEqual({ takerRatePpm: 35_000n });
    expect(feeTermsOf('quadratic_with_combo_maker_fees', '0')).toEqual({ takerRatePpm: 0n });
    expect(feeTermsOf('quadratic', '1e-7')).toEqual({ takerRatePpm: 1n });
    expect(feeTermsOf('flat', '1')).toBeUndefined();
    expect(feeTermsOf('quadratic', '-1')).toBeUndefined();
    expect(feeTermsOf('quadratic', '1e+300')).toBeUndefined();
  });
});

describe('the worst fee over a span of prices', () => {
  it('is that of the price nearest to a half', () => {
    const worst = (from: bigint, to: bigint) =>
      worstTakerFeeUsdMicros(terms, 100n, { fromUsdMicros: from, toUsdMicros: to });
    const at = (priceUsdMicros: bigint) => takerFeeUsdMicros(terms, { priceUsdMicros, count: 100n });
    expect(worst(0n, 300_000n)).toBe(at(300_000n));
    expect(worst(0n, 900_000n)).toBe(at(500_000n));
    expect(worst(700_000n, 1_000_000n)).toBe(at(700_000n));
  });

  it('and the allowance cover every way to split an order into whole contracts', () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const draw = random(seed);
      const limit = 10_000n * BigInt(1 + draw(99));
      const fills = Array.from({ length: 1 + draw(40) }, () => ({
        priceUsdMicros: 10_000n * BigInt(1 + draw(Number(limit / 10_000n))),
        count: 100n * BigInt(1 + draw(20)),
      }));
      const count = fills.reduce((sum, fill) => sum + fill.count, 0n);
      const paid = fills.reduce((sum, fill) => sum + takerFeeUsdMicros(terms, fill), 0n);
      const worst = worstTakerFeeUsdMicros(terms, count, { fromUsdMicros: 0n, toUsdMicros: limit });
      // What the balance is rounded by over an order, at the coarsest.
      expect(paid + 20_000n).toBeLessThanOrEqual(worst + roundingAllowanceUsdMicros(count));
    }
  });
});

describe('a fee that a fill can have been charged', () => {
  // Ten at 60 cents: 10 · 0.6 · 0.4 is 2.40 dollars.
  it.each([
    [-10_001n, false],
    [-10_000n, true],
    [0n, true],
    [2_410_000n, true],
    [2_410_001n, false],
  ])('%d micro-dollars: %s', (feeUsdMicros, possible) => {
    expect(isPossibleFee(feeUsdMicros, { priceUsdMicros: 600_000n, count: 1_000n })).toBe(possible);
  });
});

/** Whole numbers from 0 up to the bound, always the same. */
function random(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % bound;
  };
}
