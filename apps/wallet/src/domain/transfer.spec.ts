import { describe, expect, it } from '@jest/globals';
import { baseUnits } from '@agent-wallet/kernel';
import { changesByTransfer, type TransferPlan } from './transfer.js';

const SOL: TransferPlan = {
  mint: '',
  symbol: 'SOL',
  decimals: 9,
  tokenProgram: '',
  amount: baseUnits(1_000_000n),
  createsRecipientAccount: false,
};
const USDC: TransferPlan = { ...SOL, mint: 'mint', symbol: 'USDC', decimals: 6, tokenProgram: 'program' };
const fee = { amount: baseUnits(1_000n), recipient: 'operator', isDeducted: false };

describe('what a transfer changes', () => {
  it('is one sum for SOL, network fee included', () => {
    expect(changesByTransfer(SOL, 5_000n)).toEqual([{ mint: '', symbol: 'SOL', decimals: 9, amount: -1_005_000n }]);
    expect(changesByTransfer({ ...SOL, sponsor: 's' }, 10_000n)).toEqual([
      { mint: '', symbol: 'SOL', decimals: 9, amount: -1_000_000n },
    ]);
  });

  it('is the token, and SOL for network fee and rent unless they are sponsored', () => {
    const plan = { ...USDC, createsRecipientAccount: true, rentLamports: baseUnits(2_039_280n) };
    const token = { mint: 'mint', symbol: 'USDC', decimals: 6, amount: -1_000_000n };
    expect(changesByTransfer(plan, 5_000n)).toEqual([
      token,
      { mint: '', symbol: 'SOL', decimals: 9, amount: -2_044_280n },
    ]);
    expect(changesByTransfer({ ...plan, sponsor: 's' }, 10_000n)).toEqual([token]);
  });

  it("counts the operator's fee where it is added", () => {
    expect(changesByTransfer({ ...USDC, sponsor: 's', fee }, 0n)[0]?.amount).toBe(-1_001_000n);
    expect(changesByTransfer({ ...USDC, sponsor: 's', fee: { ...fee, isDeducted: true } }, 0n)[0]?.amount).toBe(
      -1_000_000n,
    );
  });
});
