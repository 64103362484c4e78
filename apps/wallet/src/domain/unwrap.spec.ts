import { baseUnitsOf, readAmountField, WRAPPED_SOL_MINT } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { changesByUnwrap, checkWalletAfter, planUnwrap, type WrappedSol } from './unwrap.js';

const RENT = 2_039_280n;
const HELD: WrappedSol = { units: 1_500_000_000n, lamports: 1_500_000_000n + RENT, rentLamports: RENT };

const of = (amount: string) => ({ amount: baseUnitsOf(readAmountField(amount), 9) });

describe('an unwrap', () => {
  it('of all closes the account, and gains its rent', () => {
    const plan = { amount: 1_500_000_000n, remainder: 0n, gained: HELD.lamports };
    expect(planUnwrap({}, HELD)).toEqual(plan);
    expect(planUnwrap(of('1.5'), HELD)).toEqual(plan);
  });

  it('of a part gains just that', () => {
    expect(planUnwrap(of('1.499999999'), HELD)).toEqual({
      amount: 1_499_999_999n,
      remainder: 1n,
      gained: 1_499_999_999n,
    });
  });

  it('of more than there is names what is missing', () => {
    expect(() => planUnwrap(of('1.500000001'), HELD)).toThrow(
      expect.objectContaining({
        code: 'INSUFFICIENT_FUNDS',
        data: expect.objectContaining({ asset: 'wSOL', missingRaw: '1' }),
      }),
    );
  });

  it('of nothing is refused', () => {
    const nothing = { ...HELD, units: 0n };
    expect(() => planUnwrap({}, nothing)).toThrow(expect.objectContaining({ code: 'INSUFFICIENT_FUNDS' }));
    expect(() => planUnwrap(of('1'), nothing)).toThrow(expect.objectContaining({ code: 'INSUFFICIENT_FUNDS' }));
    expect(() => of('0')).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
  });

  it('must leave the wallet what it must hold', () => {
    const plan = planUnwrap(of('0.0005'), HELD);
    const minimumLamports = 890_880n;
    expect(() => checkWalletAfter(plan, { lamportsLeft: 390_880n, minimumLamports })).not.toThrow();
    expect(() => checkWalletAfter(plan, { lamportsLeft: 390_879n, minimumLamports })).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', details: [expect.objectContaining({ field: 'amount' })] }),
    );
  });

  it("changes two balances, and the network fee is the wallet's unless it is sponsored", () => {
    const plan = planUnwrap(of('1'), HELD);
    const wrapped = { mint: WRAPPED_SOL_MINT, symbol: 'wSOL', decimals: 9, amount: -1_000_000_000n };
    expect(changesByUnwrap(plan, 5_000n)).toEqual([
      wrapped,
      { mint: '', symbol: 'SOL', decimals: 9, amount: 999_995_000n },
    ]);
    expect(changesByUnwrap({ ...plan, sponsor: 's' }, 10_000n)).toEqual([
      wrapped,
      { mint: '', symbol: 'SOL', decimals: 9, amount: 1_000_000_000n },
    ]);
  });
});
