import { describe, expect, it } from '@jest/globals';
import { namedToken } from '../tokens/known-tokens.js';
import { invalidAddress, invalidCursor, unknownToken } from './request-errors.js';

const KNOWN = 'SOL, USDC, USDT, JUP, BONK, WIF, RAY, ORCA';

describe('an unknown token', () => {
  it('is answered with the tokens that the caller may have meant', () => {
    const { mint } = namedToken('usdc')!;
    const usdt = namedToken('USDT')!;
    expect(unknownToken('mint', 'USDX')).toMatchObject({
      code: 'UNKNOWN_TOKEN',
      message: 'mint "USDX" is unknown. Use a symbol (USDC, USDT?) or a mint address.',
      details: [{ field: 'mint', problem: 'invalid_format' }],
      data: {
        didYouMean: [
          { symbol: 'USDC', mint },
          { symbol: 'USDT', mint: usdt.mint },
        ],
      },
    });
  });

  it.each(['JUP', 'jup'])('%s, a known symbol without a mint on the network, is not suggested itself', (symbol) => {
    const error = unknownToken('to', symbol);
    expect(error.message).toBe(`to "${symbol}" does not exist on this network. Use another token.`);
    expect(error.data).toEqual({ didYouMean: [] });
  });

  it('without a likely token lists the known symbols, and repeats little of a long text', () => {
    const error = unknownToken('from', 'z'.repeat(500));
    expect(error.message).toBe(`from "${'z'.repeat(50)}" is unknown. Use a symbol (${KNOWN}) or a mint address.`);
    expect(error.data).toEqual({ didYouMean: [] });
  });
});

describe('a built-in symbol', () => {
  it.each(['usdc', 'Usdc', 'USDC', 'sol', 'bOnK'])('%s is known in any case', (symbol) => {
    expect(namedToken(symbol)?.symbol).toBe(symbol.toUpperCase());
  });

  it.each(['', 'USDC ', 'UŞDC', 'wıf', 'WSOL'])('%j is none', (symbol) => {
    expect(namedToken(symbol)).toBeUndefined();
  });
});

it('an address that cannot receive says why, and what to do', () => {
  const reason = 'is the mint of USDC, not a wallet. Put it in `mint`.';
  expect(invalidAddress('to', 'mint', { reason })).toMatchObject({
    code: 'INVALID_ADDRESS',
    message: `to ${reason}`,
    data: { problem: 'mint' },
  });
});

it('a bad cursor is answered with one sentence everywhere', () => {
  expect(invalidCursor().message).toBe('cursor is not valid. Use the cursor of the previous page, or omit it.');
});
