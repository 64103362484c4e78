/** A token that is known without asking the chain. */
export interface KnownToken {
  readonly symbol: string;
  /** Base58 address of the mint; empty for the native coin. */
  readonly mint: string;
  readonly decimals: number;
  readonly name: string;
}

/** The native coin. */
export const NATIVE: KnownToken = { symbol: 'SOL', mint: '', decimals: 9, name: 'Solana' };

/** The mint of the token that wraps the native coin: a token of its own, named by address only. */
export const WRAPPED_NATIVE_MINT = 'So11111111111111111111111111111111111111112';

/** The symbols of the specification. All of them are plain tokens of the classic token program. */
const SYMBOLS: readonly KnownToken[] = [
  NATIVE,
  { symbol: 'USDC', mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', decimals: 6, name: 'USD Coin' },
  { symbol: 'USDT', mint: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', decimals: 6, name: 'Tether USD' },
  { symbol: 'JUP', mint: 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN', decimals: 6, name: 'Jupiter' },
  { symbol: 'BONK', mint: 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263', decimals: 5, name: 'Bonk' },
  { symbol: 'WIF', mint: 'EKpQGSJtjMFqKZ9KQanSqYXRcF8fBopzLHYxdM65zcjm', decimals: 6, name: 'dogwifhat' },
  { symbol: 'RAY', mint: '4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R', decimals: 6, name: 'Raydium' },
  { symbol: 'ORCA', mint: 'orcaEKTdK7LKz57vaAYr9QeNsVEPfiu6QeMU1kektZE', decimals: 6, name: 'Orca' },
];

const BY_SYMBOL = new Map(SYMBOLS.map((token) => [token.symbol, token]));
const BY_MINT = new Map(
  [...SYMBOLS.slice(1), { symbol: 'wSOL', mint: WRAPPED_NATIVE_MINT, decimals: 9, name: 'Wrapped SOL' }].map(
    (token) => [token.mint, token],
  ),
);

/**
 * The token that a text names, where that can be told without the chain: empty or `SOL` is the native coin, then exact
 * symbols (upper case, as the specification writes them), then known mints. Nothing else is ever guessed.
 */
export function knownToken(text: string): KnownToken | undefined {
  return text === '' ? NATIVE : (BY_SYMBOL.get(text) ?? BY_MINT.get(text));
}

/**
 * What a mint is called. What a mint calls itself proves nothing — anyone can make a second "USDC" — so one that is
 * not known is shown as a shortened address.
 */
export function symbolOf(mint: string): string {
  return BY_MINT.get(mint)?.symbol ?? `${mint.slice(0, 4)}…${mint.slice(-4)}`;
}

/** Whether a mint is called like one of the known tokens, in any case, without being it. */
export function isImpostor(symbol: string, mint: string): boolean {
  const wanted = symbol.toUpperCase();
  const isTaken = BY_SYMBOL.has(wanted) || [...BY_MINT.values()].some((token) => token.symbol.toUpperCase() === wanted);
  return isTaken && BY_MINT.get(mint)?.symbol.toUpperCase() !== wanted;
}
