import { describe, expect, it } from '@jest/globals';
import type { AppError } from '@agent-wallet/kernel';
import { checkFunds, type Funds } from './funds.js';

const MINIMUM = 890_880n;
const RENT = 2_039_280n;
const FEE = 5_000n;

const NATIVE: Funds = {
  token: undefined,
  amount: 1_000_000n,
  lamports: 10_000_000n,
  networkFeeLamports: FEE,
  rentLamports: 0n,
  recipientLamports: 0n,
  minimumLamports: MINIMUM,
};
const TOKEN: Funds = { ...NATIVE, token: { symbol: 'USDC', decimals: 6, available: 1_000_000n } };

function refusal(funds: Funds): AppError | undefined {
  try {
    checkFunds(funds);
    return undefined;
  } catch (error) {
    return error as AppError;
  }
}

describe('a transfer of the native coin', () => {
  it('may take everything, to the last lamport', () => {
    expect(refusal({ ...NATIVE, lamports: 1_000_000n + FEE })).toBeUndefined();
  });

  it('names the one lamport that is missing', () => {
    expect(refusal({ ...NATIVE, lamports: 1_000_000n + FEE - 1n })).toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
      data: { asset: 'SOL', availableRaw: '1004999', neededRaw: '1005000', missingRaw: '1' },
    });
  });

  it('may leave the least that an account may hold, and not a lamport less unless nothing', () => {
    expect(refusal({ ...NATIVE, lamports: 1_000_000n + FEE + MINIMUM })).toBeUndefined();
    const left = refusal({ ...NATIVE, lamports: 1_000_000n + FEE + MINIMUM - 1n });
    expect(left).toMatchObject({ code: 'INSUFFICIENT_FUNDS', data: { missingRaw: '1' } });
    expect(refusal({ ...NATIVE, lamports: 1_000_000n + FEE + 1n })?.code).toBe('INSUFFICIENT_FUNDS');
  });

  it('must give a new account what it must hold: the minimum is named', () => {
    expect(refusal({ ...NATIVE, amount: MINIMUM })).toBeUndefined();
    expect(refusal({ ...NATIVE, amount: MINIMUM - 1n })).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'amount', reason: expect.stringContaining('0.00089088 SOL') }],
    });
    expect(refusal({ ...NATIVE, amount: 1n, recipientLamports: MINIMUM })).toBeUndefined();
    expect(refusal({ ...NATIVE, amount: 1n, recipientLamports: MINIMUM - 1n })).toBeUndefined();
    expect(refusal({ ...NATIVE, amount: 1n, recipientLamports: MINIMUM - 2n })?.code).toBe('VALIDATION_ERROR');
  });
});

describe('a transfer of a token', () => {
  it('may take everything, and names what is missing of it', () => {
    expect(refusal(TOKEN)).toBeUndefined();
    expect(refusal({ ...TOKEN, amount: 1_000_001n })).toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
      message: 'The wallet holds 1 USDC where 1.000001 USDC are needed: 0.000001 USDC are missing.',
      data: { asset: 'USDC', missingRaw: '1' },
    });
  });

  it('needs lamports for the network fee, and for the rent of an account that it makes', () => {
    expect(refusal({ ...TOKEN, lamports: FEE })).toBeUndefined();
    expect(refusal({ ...TOKEN, lamports: FEE - 1n })).toMatchObject({ data: { asset: 'SOL', missingRaw: '1' } });
    expect(refusal({ ...TOKEN, lamports: FEE + RENT, rentLamports: RENT })).toBeUndefined();
    expect(refusal({ ...TOKEN, lamports: FEE + RENT - 1n, rentLamports: RENT })).toMatchObject({
      data: { asset: 'SOL', missingRaw: '1' },
    });
  });
});
