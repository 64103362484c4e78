import { describe, expect, it } from '@jest/globals';
import { readAmountField } from '@agent-wallet/kernel';
import { isAddress } from '@agent-wallet/solana';
import { NATIVE_MINT } from './tokens.js';
import { checkTrade, type TradeRequest } from './trade.js';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
type Written = Omit<TradeRequest, 'amount'> & { readonly amount: string };

const ORDER = { from: 'SOL', to: 'USDC', slippageBps: 50, allowRisky: false, allowUnpricedOutput: false };
const check = ({ amount = '1', ...over }: Partial<Written>) =>
  checkTrade({ ...ORDER, ...over, amount: readAmountField(amount) }, isAddress);

describe('a trade', () => {
  it('names tokens by symbol or mint; SOL and its wrapped mint are the same', () => {
    expect(check({})).toEqual({ inputMint: NATIVE_MINT, outputMint: USDC });
    expect(check({ from: NATIVE_MINT, to: USDC })).toEqual(check({}));
    expect(check({ from: 'sol', to: 'Usdc' })).toEqual(check({}));
  });

  it.each([
    [{ from: 'usdx' }, 'UNKNOWN_TOKEN', 'from'],
    [{ from: '' }, 'UNKNOWN_TOKEN', 'from'],
    [{ to: 'PEPE' }, 'UNKNOWN_TOKEN', 'to'],
    [{ from: 'SOL', to: NATIVE_MINT }, 'VALIDATION_ERROR', 'to'],
    [{ from: USDC, to: 'USDC' }, 'VALIDATION_ERROR', 'to'],
    [{ slippageBps: 0 }, 'VALIDATION_ERROR', 'slippageBps'],
    [{ slippageBps: 5_001 }, 'VALIDATION_ERROR', 'slippageBps'],
    [{ slippageBps: 1.5 }, 'VALIDATION_ERROR', 'slippageBps'],
    [{ maxPriceImpactBps: 0 }, 'VALIDATION_ERROR', 'maxPriceImpactPercent'],
    [{ maxPriceImpactBps: 5_001 }, 'VALIDATION_ERROR', 'maxPriceImpactPercent'],
    [{ maxPriceImpactBps: 1.5 }, 'VALIDATION_ERROR', 'maxPriceImpactPercent'],
    [{ amount: '0' }, 'VALIDATION_ERROR', 'amount'],
    [{ amount: '-1' }, 'VALIDATION_ERROR', 'amount'],
    [{ amount: 'NaN' }, 'VALIDATION_ERROR', 'amount'],
    [{ amount: '1e400' }, 'VALIDATION_ERROR', 'amount'],
  ])('like %j is refused', (over, code, field) => {
    expect(() => check(over)).toThrow(expect.objectContaining({ code, details: [expect.objectContaining({ field })] }));
  });

  it.each([1, 5_000])('tolerates %d basis points', (bps) => {
    expect(() => check({ slippageBps: bps })).not.toThrow();
    expect(() => check({ maxPriceImpactBps: bps })).not.toThrow();
  });
});
