import { WRAPPED_SOL_MINT } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { NATIVE, TokenRegistry } from './token-registry.js';

const registry = new TokenRegistry('mainnet-beta');
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

describe('the token registry', () => {
  it.each(['SOL', 'USDC', 'USDT', 'JUP', 'BONK', 'WIF', 'RAY', 'ORCA'])('knows %s', (symbol) => {
    expect(registry.known(symbol)).toMatchObject({ symbol });
  });

  it('takes nothing and SOL for the native coin, and the wrapped mint for the wrapped token', () => {
    expect(registry.known('')).toBe(NATIVE);
    expect(registry.known('SOL')).toBe(NATIVE);
    for (const text of [WRAPPED_SOL_MINT, 'wSOL', 'WSOL']) {
      expect(registry.known(text)).toMatchObject({ symbol: 'wSOL', mint: WRAPPED_SOL_MINT });
    }
  });

  it('knows a symbol by its mint too', () => {
    expect(registry.known(USDC)).toEqual({ symbol: 'USDC', mint: USDC, decimals: 6, name: 'USD Coin' });
    expect(registry.symbolOf(USDC)).toBe('USDC');
  });

  it.each(['usdc', 'Usdc', 'USDC'])('knows the built-in symbol %s in any case', (text) => {
    expect(registry.known(text)?.mint).toBe(USDC);
    expect(registry.known('sol')).toBe(NATIVE);
  });

  it.each(['usdx', ' USDC', 'USDC ', 'constructor', '__proto__', 'ETH', USDC.toLowerCase()])(
    'does not guess %j',
    (text) => {
      expect(registry.known(text)).toBeUndefined();
    },
  );

  it('shows an unknown mint by its address, which a request can name', () => {
    const mint = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
    expect(registry.symbolOf(mint)).toBe(mint);
  });

  it('tells a token that is called like a known one', () => {
    const other = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
    expect(['USDC', 'usdc', 'SOL', 'WSOL'].map((symbol) => registry.isImpostor(symbol, other))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(registry.isImpostor('PYTH', other)).toBe(false);
    expect(registry.isImpostor('USDC', USDC)).toBe(false);
    expect(registry.isImpostor('USDT', USDC)).toBe(true);
    expect(registry.isImpostor('wSOL', WRAPPED_SOL_MINT)).toBe(false);
  });

  it.each(['localnet', 'sandbox'] as const)(
    'has the tokens of mainnet on %s, where validators clone them',
    (network) => {
      expect(new TokenRegistry(network).known('JUP')).toEqual(registry.known('JUP'));
    },
  );

  it.each(['devnet', 'testnet'] as const)('knows SOL and the USDC of %s, and no mint of mainnet', (network) => {
    const other = new TokenRegistry(network);
    const mint = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
    expect(other.known('usdc')).toEqual({ symbol: 'USDC', mint, decimals: 6, name: 'USD Coin' });
    expect(other.known(mint)?.symbol).toBe('USDC');
    expect(other.known('SOL')).toBe(NATIVE);
    expect(other.known('JUP')).toBeUndefined();
    expect(other.known(USDC)).toBeUndefined();
    expect(other.symbolOf(USDC)).toBe(USDC);
    expect(other.isImpostor('USDC', USDC)).toBe(true);
    expect(other.expectedMints).toEqual([mint]);
  });
});
