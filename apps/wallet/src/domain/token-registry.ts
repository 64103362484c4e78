import {
  mintNamed,
  type NamedToken,
  namedToken,
  namedTokens,
  type SolanaNetwork,
  WRAPPED_SOL_MINT,
} from '@agent-wallet/kernel';

/** A token that is known without asking the chain; its mint is empty for the native coin. */
type KnownToken = NamedToken;

/** The native coin. */
export const NATIVE: KnownToken = { symbol: 'SOL', mint: '', decimals: 9, name: 'Solana' };

const WRAPPED: KnownToken = { symbol: 'wSOL', mint: WRAPPED_SOL_MINT, decimals: 9, name: 'Wrapped SOL' };

/** The tokens that a network knows by symbol. */
export class TokenRegistry {
  /** Named tokens of the network, the native coin among them by the mint of wrapped SOL. */
  readonly named: readonly NamedToken[];
  /** Mints of tokens in which most money comes: a wallet's accounts of them are read before they exist. */
  readonly expectedMints: readonly string[];
  readonly #bySymbol: ReadonlyMap<string, KnownToken>;
  readonly #byMint: ReadonlyMap<string, KnownToken>;

  constructor(network: SolanaNetwork) {
    this.named = namedTokens(network);
    const tokens = this.named.filter(({ mint }) => mint !== WRAPPED_SOL_MINT);
    this.expectedMints = tokens.filter(({ symbol }) => symbol === 'USDC' || symbol === 'USDT').map(({ mint }) => mint);
    this.#bySymbol = new Map([NATIVE, ...tokens].map((token) => [token.symbol, token]));
    this.#byMint = new Map([...tokens, WRAPPED].map((token) => [token.mint, token]));
  }

  /**
   * Returns the token that a text names, where that is known without the chain: empty is the native coin, then the
   * built-in symbols and `wSOL` in any case, then known mints. Nothing else is ever guessed.
   */
  known(text: string): KnownToken | undefined {
    if (text === '') return NATIVE;
    const named = namedToken(text, this.named);
    return named ? this.#bySymbol.get(named.symbol) : this.#byMint.get(mintNamed(text, this.named));
  }

  /**
   * Returns the symbol of a mint. A mint's own name proves nothing — anyone can make a second "USDC" — so an unknown one
   * is shown by its address, which requests take. A shortened one could be made to look like another.
   */
  symbolOf(mint: string): string {
    return this.#byMint.get(mint)?.symbol ?? mint;
  }

  /** Reports whether a mint has the symbol of a known token, in any case, without being that token. */
  isImpostor(symbol: string, mint: string): boolean {
    const wanted = symbol.toUpperCase();
    const isTaken =
      this.#bySymbol.has(wanted) || [...this.#byMint.values()].some((token) => token.symbol.toUpperCase() === wanted);
    return isTaken && this.#byMint.get(mint)?.symbol.toUpperCase() !== wanted;
  }
}
