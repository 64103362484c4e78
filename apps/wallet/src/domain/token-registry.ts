import { mintNamed, NAMED_TOKENS, type NamedToken, namedToken, WRAPPED_SOL_MINT } from '@agent-wallet/kernel';

/** A token that is known without asking the chain; its mint is empty for the native coin. */
type KnownToken = NamedToken;

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
 * Returns the token that a text names, where that is known without the chain: empty is the native coin, then the
 * built-in symbols and `wSOL` in any case, then known mints. Nothing else is ever guessed.
 */
export function knownToken(text: string): KnownToken | undefined {
  if (text === '') return NATIVE;
  const named = namedToken(text);
  return named ? BY_SYMBOL.get(named.symbol) : BY_MINT.get(mintNamed(text));
}

/**
 * Returns the symbol of a mint. A mint's own name proves nothing — anyone can make a second "USDC" — so an unknown one
 * is shown by its address, which requests take. A shortened one could be made to look like another.
 */
export function symbolOf(mint: string): string {
  return BY_MINT.get(mint)?.symbol ?? mint;
}

/** Reports whether a mint has the symbol of a known token, in any case, without being that token. */
export function isImpostor(symbol: string, mint: string): boolean {
  const wanted = symbol.toUpperCase();
  const isTaken = BY_SYMBOL.has(wanted) || [...BY_MINT.values()].some((token) => token.symbol.toUpperCase() === wanted);
  return isTaken && BY_MINT.get(mint)?.symbol.toUpperCase() !== wanted;
}
