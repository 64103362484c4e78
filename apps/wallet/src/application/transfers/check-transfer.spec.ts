import { type AppError, readAmountField } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import type { TransferRequest } from '../../domain/transfer.js';
import { TokenRegistry } from '../../domain/token-registry.js';
import { checkTransfer } from './transfer.js';

const MINT = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const USDC_MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const TO = '7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5';
const REGISTRY = new TokenRegistry('mainnet-beta');
const WALLET = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';

type Written = Omit<TransferRequest, 'amount'> & { readonly amount: string };

function refusal({ amount = '1', ...over }: Partial<Written>): AppError | undefined {
  try {
    checkTransfer({ to: TO, mint: '', memo: '', ...over, amount: readAmountField(amount) }, WALLET, REGISTRY);
    return undefined;
  } catch (error) {
    return error as AppError;
  }
}

describe('a request that makes sense', () => {
  it.each([
    { amount: '0.000000001' },
    { amount: '1e-9' },
    { mint: 'USDC', amount: '64.1' },
    { mint: 'USDC', amount: '0.000001' },
    { mint: 'USDC', amount: '18446744073709.551615' },
    { mint: MINT, amount: '1.123456789' },
    { memo: 'x'.repeat(256) },
    { memo: 'é'.repeat(128) },
  ])('%j passes', (over) => {
    expect(refusal(over)).toBeUndefined();
  });
});

describe('a request that makes none', () => {
  it.each([
    { amount: '0.0000000001' },
    { mint: 'USDC', amount: '0.0000001' },
    { mint: 'USDC', amount: '18446744073709.551616' },
    { amount: '0' },
    { amount: '-1' },
    { amount: 'NaN' },
    { amount: '1e400' },
    { amount: '' },
    { amount: '0x10' },
    { mint: MINT, amount: 'NaN' },
    { mint: MINT, amount: '0' },
    { mint: MINT, amount: '-1' },
  ])('%j names the amount', (over) => {
    expect(refusal(over)).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'amount' }] });
  });

  it.each(['x'.repeat(257), 'é'.repeat(128) + 'x'])('a memo of 257 bytes is refused by name', (memo) => {
    expect(refusal({ memo })).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'memo' }] });
  });

  it.each(['usdx', 'DOGE', 'not a mint'])('the token %j is unknown', (mint) => {
    expect(refusal({ mint })).toMatchObject({ code: 'UNKNOWN_TOKEN', details: [{ field: 'mint' }] });
  });

  it.each([
    ['INVALID_ADDRESS', 'not an address'],
    ['INVALID_ADDRESS', '11111111111111111111111111111111'],
    ['VALIDATION_ERROR', WALLET],
  ])('%s: nothing is sent to %j', (code, to) => {
    expect(refusal({ to })).toMatchObject({ code, details: [{ field: 'to' }] });
  });

  it.each([
    ['not an address', 'not_an_address', 'to is not a Solana address.'],
    ['11111111111111111111111111111111', 'off_curve', 'to is an account of a program. Send to a wallet.'],
    [USDC_MINT, 'mint', 'to is the mint of USDC, not a wallet. Put it in `mint`.'],
  ])('says why nothing is sent to %s', (to, problem, message) => {
    expect(refusal({ to })).toMatchObject({ message, data: { problem } });
  });
});
