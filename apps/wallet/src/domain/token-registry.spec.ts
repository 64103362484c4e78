import { WRAPPED_SOL_MINT } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { isImpostor, knownToken, NATIVE, symbolOf } from './token-registry.js';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

describe('the token registry', () => {
  it.each(['SOL', 'USDC', 'USDT', 'JUP', 'BONK', 'WIF', 'RAY', 'ORCA'])('knows %s', (symbol) => {
    expect(knownToken(symbol)).toMatchObject({ symbol });
  });

  it('takes nothing and SOL for the native coin, and the wrapped mint for the wrapped token', () => {
    expect(knownToken('')).toBe(NATIVE);
    expect(knownToken('SOL')).toBe(NATIVE);
    for (const text of [WRAPPED_SOL_MINT, 'wSOL', 'WSOL']) {
      expect(knownToken(text)).toMatchObject({ symbol: 'wSOL', mint: WRAPPED_SOL_MINT });
    }
  });

  it('knows a symbol by its mint too', () => {
    expect(knownToken(USDC)).toEqual({ symbol: 'USDC', mint: USDC, decimals: 6, name: 'USD Coin' });
    expect(symbolOf(USDC)).toBe('USDC');
  });

  it.each(['usdc', 'Usdc', 'USDC'])('knows the built-in symbol %s in any case', (text) => {
    expect(knownToken(text)?.mint).toBe(USDC);
    expect(knownToken('sol')).toBe(NATIVE);
  });

  it.each(['usdx', ' USDC', 'USDC ', 'constructor', '__proto__', 'ETH', USDC.toLowerCase()])(
    'does not guess %j',
    (text) => {
      expect(knownToken(text)).toBeUndefined();
    },
  );

  it('shows an unknown mint by its address, which a request can name', () => {
    const mint = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
    expect(symbolOf(mint)).toBe(mint);
  });

  it('tells a token that is called like a known one', () => {
    const other = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
    expect(['USDC', 'usdc', 'SOL', 'WSOL'].map((symbol) => isImpostor(symbol, other))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(isImpostor('PYTH', other)).toBe(false);
    expect(isImpostor('USDC', USDC)).toBe(false);
    expect(isImpostor('USDT', USDC)).toBe(true);
    expect(isImpostor('wSOL', WRAPPED_SOL_MINT)).toBe(false);
  });
});
