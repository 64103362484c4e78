import { describe, expect, it } from '@jest/globals';
import { chooseTerms, type TransferOffer } from './wallet-funds.js';

const MINIMUM = 890_880n;
const RENT = 2_039_280n;
const FEE = 5_000n;
const PLENTY = 1_000_000_000n;

const OFFER: TransferOffer = {
  token: { symbol: 'USDC', mint: 'usdc', decimals: 6, available: 1_000_000n },
  amount: 900_000n,
  fee: 0n,
  signatureLamports: FEE,
  priorityLamports: 0n,
  lamports: PLENTY,
  rentLamports: 0n,
  recipientLamports: MINIMUM,
  minimumLamports: MINIMUM,
  sponsorLamports: undefined,
};
const NATIVE: TransferOffer = { ...OFFER, token: undefined, amount: 100_000_000n };
const none = expect.anything();

const choose = (over: Partial<TransferOffer>, base = OFFER) => chooseTerms({ ...base, ...over });
const refusal = (over: Partial<TransferOffer>, base = OFFER) => {
  try {
    return choose(over, base);
  } catch (error) {
    return error;
  }
};

describe('who pays the network', () => {
  it('is the wallet, to the last lamport, whether or not there is a sponsor', () => {
    expect(choose({ lamports: FEE, sponsorLamports: PLENTY })).toMatchObject({ isSponsored: false });
    expect(choose({ lamports: FEE - 1n, sponsorLamports: PLENTY })).toMatchObject({ isSponsored: true });
    expect(choose({ lamports: FEE + RENT, rentLamports: RENT, sponsorLamports: PLENTY }).isSponsored).toBe(false);
    expect(choose({ lamports: FEE + RENT - 1n, rentLamports: RENT, sponsorLamports: PLENTY }).isSponsored).toBe(true);
  });

  it('is unresolved without a sponsor: the error names the lamports that the wallet lacks', () => {
    expect(refusal({ lamports: 0n, rentLamports: RENT })).toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
      data: { missingLamports: String(FEE + RENT) },
    });
  });

  it('is unresolved when the sponsor has too little: the error is about the wallet, and says so', () => {
    expect(choose({ lamports: 0n, sponsorLamports: 2n * FEE })).toMatchObject({ isSponsored: true });
    expect(refusal({ lamports: 1n, sponsorLamports: 2n * FEE - 1n })).toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
      message: expect.stringContaining("The operator's sponsor cannot pay"),
      data: { asset: 'SOL', missingLamports: String(FEE - 1n) },
    });
  });

  it('lets a sponsored wallet send its whole balance of SOL', () => {
    const all = { lamports: 100_000_000n, sponsorLamports: PLENTY };
    expect(choose(all, NATIVE)).toEqual({ sent: 100_000_000n, fee: 0n, isFeeDeducted: false, isSponsored: true });
    expect(refusal({ ...all, lamports: 99_999_999n }, NATIVE)).toMatchObject({ data: { missingLamports: '1' } });
    expect(refusal({ ...all, sponsorLamports: undefined }, NATIVE)).toMatchObject({
      data: { missingLamports: String(FEE) },
    });
  });
});

describe("the operator's fee of a token", () => {
  it('is added while the balance covers both, and deducted from one unit less on', () => {
    const added = { sent: 900_000n, fee: 100_000n, isFeeDeducted: false };
    const deducted = { sent: 800_001n, fee: 100_000n, isFeeDeducted: true };
    expect(choose({ fee: 100_000n })).toMatchObject(added);
    expect(choose({ amount: 900_001n, fee: 100_000n })).toMatchObject(deducted);
  });

  it('is deducted down to the last unit that the recipient gets', () => {
    expect(choose({ amount: 1_000_000n, fee: 999_999n })).toMatchObject({ sent: 1n, isFeeDeducted: true });
    expect(refusal({ amount: 1_000_000n, fee: 1_000_000n })).toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
      data: { asset: 'USDC', missingRaw: '1000000' },
    });
  });

  it('does not hide how much of the amount is missing', () => {
    expect(refusal({ amount: 1_000_001n, fee: 10n })).toMatchObject({ data: { asset: 'USDC', missingRaw: '1' } });
  });

  it('stays added when the sponsor pays the network', () => {
    const over = { fee: 100_000n, lamports: 0n, sponsorLamports: PLENTY };
    expect(choose(over)).toMatchObject({ sent: 900_000n, isFeeDeducted: false, isSponsored: true });
  });
});

describe("the operator's fee of SOL", () => {
  const fee = 1_000_000n;

  it('is added while the wallet can pay amount, fee and network', () => {
    expect(choose({ fee, lamports: 101_000_000n + FEE }, NATIVE)).toMatchObject({ isFeeDeducted: false });
    expect(choose({ fee, lamports: 101_000_000n + FEE + MINIMUM }, NATIVE)).toMatchObject({ isFeeDeducted: false });
  });

  it('is added with a sponsor, and deducted without, when only the network fee is missing', () => {
    const over = { fee, lamports: 101_000_000n };
    expect(choose({ ...over, sponsorLamports: PLENTY }, NATIVE)).toMatchObject({
      isFeeDeducted: false,
      isSponsored: true,
    });
    expect(choose(over, NATIVE)).toMatchObject({ sent: 99_000_000n, isFeeDeducted: true, isSponsored: false });
  });

  it('does not make an amount too small', () => {
    const over = { fee, amount: MINIMUM, recipientLamports: 0n, lamports: MINIMUM + FEE };
    expect(refusal(over, NATIVE)).toMatchObject({ code: 'INSUFFICIENT_FUNDS', data: none });
    expect(refusal({ ...over, amount: MINIMUM - 1n }, NATIVE)).toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});
