import { NAMED_TOKENS, type NamedToken, namedToken, WRAPPED_SOL_MINT } from '@agent-wallet/kernel';

/** A token that is known without asking the chain; its mint is empty for the native coin. */
export type KnownToken = NamedToken;

/** The native coin. */
export const NATIVE: KnownToken = { symbol: 'SOL', mint: '', decimals: 9, name: 'Solana' };

const SYMBOLS: readonly KnownToken[] = [NATIVE, ...NAMED_TOKENS.filter(({ mint }) => mint !== WRAPPED_SOL_MINT)];

const BY_SYMBOL = new Map(SYMBOLS.map((token) => [token.symbol, token]));
const BY_MINT = new Map(
  [...SYMBOLS.slice(1), { symbol: 'wSOL', mint: WRAPPED_SOL_MINT, decimals: 9, name: 'Wrapped SOL' }].map((token) => [
    token.mint,
    token,
  ]),
);

/** Mints of tokens in which most money comes: a wallet's accounts of them are looked at before they are there. */
export const EXPECTED_MINTS = ['USDC', 'USDT'].map((symbol) => BY_SYMBOL.get(symbol)!.mint);

/**
 * The token that a text names, where that is known without the chain: empty is the native coin, then the built-in
 * symbols in any case, then known mints. Nothing else is ever guessed.
 */
export function knownToken(text: string): KnownToken | undefined {
  if (text === '') return NATIVE;
  const named = namedToken(text);
  return named ? BY_SYMBOL.get(named.symbol) : BY_MINT.get(text);
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
