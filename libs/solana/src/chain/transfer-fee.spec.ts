import { describe, expect, it } from '@jest/globals';
import { calculateFee } from '@solana/spl-token';
import fc from 'fast-check';
import { transferFeeInEpoch, withheldOf } from './transfer-fee.js';

const U64 = 2n ** 64n - 1n;
const fee = (basisPoints: number, maximumFee = U64) => ({ epoch: 0n, basisPoints, maximumFee });

describe('the fee of a mint', () => {
  it('changes with the epoch that the newer one names, and not an epoch before', () => {
    const config = { older: { ...fee(100), epoch: 7n }, newer: { ...fee(250), epoch: 9n } };
    expect(transferFeeInEpoch(config, 8).basisPoints).toBe(100);
    expect(transferFeeInEpoch(config, 9).basisPoints).toBe(250);
  });

  it('is rounded up, and never above its maximum', () => {
    expect(withheldOf(fee(100), 100_000n)).toBe(1_000n);
    expect(withheldOf(fee(100), 100n)).toBe(1n);
    expect(withheldOf(fee(100), 101n)).toBe(2n);
    expect(withheldOf(fee(1), 1n)).toBe(1n);
    expect(withheldOf(fee(0), U64)).toBe(0n);
    expect(withheldOf(fee(10_000, 5n), 5n)).toBe(5n);
    expect(withheldOf(fee(10_000, 5n), 6n)).toBe(5n);
  });

  it("is the SDK's", () => {
    const u64 = fc.bigInt({ min: 0n, max: U64 });
    fc.assert(
      fc.property(u64, u64, fc.nat({ max: 10_000 }), (amount, maximumFee, basisPoints) => {
        const expected = calculateFee({ epoch: 0n, maximumFee, transferFeeBasisPoints: basisPoints }, amount);
        expect(withheldOf(fee(basisPoints, maximumFee), amount)).toBe(expected);
      }),
    );
  });
});
