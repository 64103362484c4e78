import type { AppError } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { checkFunds, type Funds } from './wallet-funds.js';

const MINIMUM = 890_880n;
const RENT = 2_039_280n;
const FEE = 5_000n;

const NATIVE: Funds = {
  token: undefined,
  sent: 1_000_000n,
  fee: 0n,
  lamports: 10_000_000n,
  networkFeeLamports: FEE,
  rentLamports: 0n,
  recipientLamports: 0n,
  minimumLamports: MINIMUM,
  sponsorLamports: undefined,
};
const TOKEN: Funds = { ...NATIVE, token: { symbol: 'USDC', mint: 'usdc', decimals: 6, available: 1_000_000n } };

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

  it('must leave that much when the network fee is taken, too, before anything else moves', () => {
    const held = MINIMUM + FEE - 1n;
    const rest = held - FEE;
    expect(refusal({ ...NATIVE, lamports: held + 1n, sent: MINIMUM })).toBeUndefined();
    expect(refusal({ ...NATIVE, lamports: held, sent: rest, recipientLamports: MINIMUM })).toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
      data: { asset: 'SOL', missingLamports: String(FEE + rest + MINIMUM - held) },
    });
    expect(refusal({ ...NATIVE, lamports: FEE, sent: 1n, sponsorLamports: MINIMUM + 2n * FEE })).toBeDefined();
  });

  it('must give a new account what it must hold: the minimum is named', () => {
    expect(refusal({ ...NATIVE, sent: MINIMUM })).toBeUndefined();
    expect(refusal({ ...NATIVE, sent: MINIMUM - 1n })).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'amount', reason: expect.stringContaining('0.00089088 SOL') }],
    });
    expect(refusal({ ...NATIVE, sent: 1n, recipientLamports: MINIMUM })).toBeUndefined();
    expect(refusal({ ...NATIVE, sent: 1n, recipientLamports: MINIMUM - 1n })).toBeUndefined();
    expect(refusal({ ...NATIVE, sent: 1n, recipientLamports: MINIMUM - 2n })?.code).toBe('VALIDATION_ERROR');
  });
});

describe("the operator's fee", () => {
  it('leaves the wallet with what is sent', () => {
    const fee = 1_000n;
    expect(refusal({ ...NATIVE, fee, lamports: 1_000_000n + fee + FEE })).toBeUndefined();
    expect(refusal({ ...NATIVE, fee, lamports: 1_000_000n + fee + FEE - 1n })?.data['missingRaw']).toBe('1');
    expect(refusal({ ...TOKEN, sent: 999_000n, fee })).toBeUndefined();
    expect(refusal({ ...TOKEN, sent: 999_001n, fee })).toMatchObject({ data: { asset: 'USDC', missingRaw: '1' } });
  });
});

describe('a sponsor', () => {
  const costs = 2n * FEE + RENT;
  const sponsored = { networkFeeLamports: 2n * FEE, rentLamports: RENT };

  it('pays network fee and rent in the place of a wallet that holds nothing', () => {
    expect(refusal({ ...TOKEN, ...sponsored, lamports: 0n, sponsorLamports: costs })).toBeUndefined();
    expect(refusal({ ...TOKEN, ...sponsored, lamports: 0n, sponsorLamports: costs - 1n })).toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
      data: { payer: 'sponsor', missingLamports: '1' },
    });
  });

  it('must keep what every account must hold', () => {
    const sponsorLamports = costs + MINIMUM;
    expect(refusal({ ...TOKEN, ...sponsored, lamports: 0n, sponsorLamports })).toBeUndefined();
    expect(refusal({ ...TOKEN, ...sponsored, lamports: 0n, sponsorLamports: sponsorLamports - 1n })?.data).toEqual({
      asset: 'SOL',
      decimals: 9,
      payer: 'sponsor',
      missingLamports: '1',
    });
  });

  it('lets a wallet send all that it holds', () => {
    const all = { ...NATIVE, networkFeeLamports: 2n * FEE, sponsorLamports: MINIMUM + 2n * FEE };
    expect(refusal({ ...all, lamports: 1_000_000n })).toBeUndefined();
    expect(refusal({ ...all, lamports: 999_999n })?.data).toMatchObject({ missingLamports: '1' });
    expect(refusal({ ...all, lamports: 1_000_000n + MINIMUM })).toBeUndefined();
    expect(refusal({ ...all, lamports: 1_000_000n + MINIMUM - 1n })?.code).toBe('INSUFFICIENT_FUNDS');
  });
});

describe('a transfer of a token', () => {
  it('may take everything, and names what is missing of it', () => {
    expect(refusal(TOKEN)).toBeUndefined();
    expect(refusal({ ...TOKEN, sent: 1_000_001n })).toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
      message: 'Insufficient USDC: 1.000001 needed, 1 available.',
      data: { asset: 'USDC', missingRaw: '1' },
    });
  });

  it('needs lamports for the network fee, and for the rent of an account that it makes', () => {
    expect(refusal({ ...TOKEN, lamports: FEE })).toBeUndefined();
    expect(refusal({ ...TOKEN, lamports: FEE - 1n })).toMatchObject({ data: { asset: 'SOL', missingRaw: '1' } });
    expect(refusal({ ...TOKEN, lamports: FEE + RENT, rentLamports: RENT })).toBeUndefined();
    expect(refusal({ ...TOKEN, lamports: FEE - 1n })?.data).toMatchObject({ missingLamports: '1' });
    expect(refusal({ ...TOKEN, lamports: FEE + RENT - 1n, rentLamports: RENT })).toMatchObject({
      data: { asset: 'SOL', missingRaw: '1' },
    });
  });
});
