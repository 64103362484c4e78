import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type SpentToken, passingAmount } from './passing-amount.js';
import { valueOf } from './value.js';

const USD = 1_000_000n;

const spent = (change: Partial<SpentToken> = {}): SpentToken => ({
  ...{ mint: 'mint', decimals: 6, price: { digits: 1n, scale: 0 }, fee: 0n, otherUsdMicros: 0n },
  ...change,
});

/** Returns the value that counts of an amount. */
function counted({ decimals, price, fee, otherUsdMicros }: SpentToken, amount: bigint): bigint {
  return valueOf({ amount: amount + fee, decimals, price, rent: undefined }) + otherUsdMicros;
}

const spending = fc.record({
  mint: fc.constant('mint'),
  decimals: fc.integer({ min: 0, max: 12 }),
  price: fc.record({ digits: fc.bigInt({ min: 1n, max: 10n ** 12n }), scale: fc.integer({ min: 0, max: 15 }) }),
  fee: fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 10n ** 9n })),
  otherUsdMicros: fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: USD })),
});

describe('the amount that passes', () => {
  it('is below a round limit where the price is above a dollar', () => {
    const price = { digits: 1_000_07n, scale: 5 };
    expect(passingAmount(spent({ price }), 100n * USD)?.amount).toBe(99_993_000n);
  });

  it('leaves room for the fee and the rent', () => {
    const passing = passingAmount(spent({ fee: 500_000n, otherUsdMicros: 300_000n }), 100n * USD);
    expect(passing).toEqual({ mint: 'mint', amount: 99_200_000n, decimals: 6 });
  });

  it('is undefined where fee and rent alone are worth the limit', () => {
    expect(passingAmount(spent({ fee: 2n * USD }), 2n * USD)).toBeUndefined();
    expect(passingAmount(spent({ otherUsdMicros: 3n * USD }), 2n * USD)).toBeUndefined();
  });

  it('always passes, and one base unit more does not', () => {
    fc.assert(
      fc.property(spending, fc.bigInt({ min: 0n, max: 10n ** 12n }), (token, limit) => {
        const passing = passingAmount(token, limit);
        fc.pre(passing === undefined || passing.amount < 2n ** 64n - 1n);
        expect(counted(token, passing?.amount ?? 1n) <= limit).toBe(passing !== undefined);
        expect(counted(token, (passing?.amount ?? 0n) + 1n) > limit).toBe(true);
      }),
    );
  });
});
