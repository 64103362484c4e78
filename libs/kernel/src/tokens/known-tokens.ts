import type { TokenSuggestion } from '../errors/error-facts.js';
import { hasMarkets, type SolanaNetwork } from '../networks/solana-network.js';
import { closest } from '../text/closest.js';

/** A token that is known by its symbol. */
export interface NamedToken {
  readonly symbol: string;
  /** Base58 address of the mint. */
  readonly mint: string;
  readonly decimals: number;
  readonly name: string;
}

/** The mint of wrapped SOL, by which the native coin is named where everything has a mint. */
export const WRAPPED_SOL_MINT = 'So11111111111111111111111111111111111111112';

/**
 * The symbols of the specification, upper case as it writes them; the native coin first, by the mint of wrapped SOL.
 * All are plain tokens of the classic token program. A symbol that is not here names nothing: it can be anyone's. Every
 * network that can have an aggregator has these mints: the sandbox makes them, and validators clone them.
 */
export const NAMED_TOKENS: readonly NamedToken[] = [
  { symbol: 'SOL', mint: WRAPPED_SOL_MINT, decimals: 9, name: 'Solana' },
  { symbol: 'USDC', mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', decimals: 6, name: 'USD Coin' },
  { symbol: 'USDT', mint: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', decimals: 6, name: 'Tether USD' },
  { symbol: 'JUP', mint: 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN', decimals: 6, name: 'Jupiter' },
  { symbol: 'BONK', mint: 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263', decimals: 5, name: 'Bonk' },
  { symbol: 'WIF', mint: 'EKpQGSJtjMFqKZ9KQanSqYXRcF8fBopzLHYxdM65zcjm', decimals: 6, name: 'dogwifhat' },
  { symbol: 'RAY', mint: '4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R', decimals: 6, name: 'Raydium' },
  { symbol: 'ORCA', mint: 'orcaEKTdK7LKz57vaAYr9QeNsVEPfiu6QeMU1kektZE', decimals: 6, name: 'Orca' },
];

/** Named tokens of the public networks for tests. USDC is Circle's own there. */
const TEST_TOKENS: readonly NamedToken[] = [
  NAMED_TOKENS[0]!,
  { symbol: 'USDC', mint: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU', decimals: 6, name: 'USD Coin' },
];

/** Returns the tokens that have a symbol on a network; the native coin first. */
export function namedTokens(network: SolanaNetwork): readonly NamedToken[] {
  return hasMarkets(network) ? NAMED_TOKENS : TEST_TOKENS;
}

const ASCII_LETTERS = /^[A-Za-z]+$/;

/** Finds the token with this symbol, in any case, among those of a network. */
export function namedToken(symbol: string, tokens = NAMED_TOKENS): NamedToken | undefined {
  if (!ASCII_LETTERS.test(symbol)) return undefined;
  const wanted = symbol.toUpperCase();
  return tokens.find((token) => token.symbol === wanted);
}

/** Returns the mint that a text names: by its symbol, `wSOL` among them, or as it is. */
export function mintNamed(text: string, tokens = NAMED_TOKENS): string {
  return namedToken(text, tokens)?.mint ?? (text.toUpperCase() === 'WSOL' ? WRAPPED_SOL_MINT : text);
}

/** Returns the tokens whose symbol a text may be a misspelling of; at most 3. */
export function closestTokens(text: string, tokens = NAMED_TOKENS): readonly TokenSuggestion[] {
  const symbols = closest(
    text,
    tokens.map(({ symbol }) => symbol),
  );
  return symbols.map((symbol) => ({ symbol, mint: namedToken(symbol, tokens)!.mint }));
}
