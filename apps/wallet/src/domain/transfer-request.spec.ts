import { describe, expect, it } from '@jest/globals';
import type { AppError } from '@agent-wallet/kernel';
import { checkRequest, type TransferRequest } from './transfer-request.js';

const MINT = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const isAddress = (text: string) => text === MINT;

function refusal(over: Partial<TransferRequest>): AppError | undefined {
  try {
    checkRequest({ to: 'someone', token: '', amount: '1', memo: '', ...over }, isAddress);
    return undefined;
  } catch (error) {
    return error as AppError;
  }
}

describe('a request that makes sense', () => {
  it.each([
    { amount: '0.000000001' },
    { amount: '1e-9' },
    { token: 'USDC', amount: '64.1' },
    { token: 'USDC', amount: '0.000001' },
    { token: 'USDC', amount: '18446744073709.551615' },
    { token: MINT, amount: '1.123456789' },
    { memo: 'x'.repeat(256) },
    { memo: 'é'.repeat(128) },
  ])('%j passes', (over) => {
    expect(refusal(over)).toBeUndefined();
  });
});

describe('a request that makes none', () => {
  it.each([
    { amount: '0.0000000001' },
    { token: 'USDC', amount: '0.0000001' },
    { token: 'USDC', amount: '18446744073709.551616' },
    { amount: '0' },
    { amount: '-1' },
    { amount: 'NaN' },
    { amount: '1e400' },
    { amount: '' },
    { amount: '0x10' },
    { token: MINT, amount: 'NaN' },
  ])('%j names the amount', (over) => {
    expect(refusal(over)).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'amount' }] });
  });

  it.each(['x'.repeat(257), 'é'.repeat(128) + 'x'])('a memo of 257 bytes is refused by name', (memo) => {
    expect(refusal({ memo })).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'memo' }] });
  });

  it.each(['usdc', 'DOGE', 'not a mint'])('the token %j is unknown', (token) => {
    expect(refusal({ token })).toMatchObject({ code: 'UNKNOWN_TOKEN', details: [{ field: 'mint' }] });
  });
});
