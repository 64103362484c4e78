import { type Key, keyText, parseKey } from '../encoding/keys.js';
import type { Journal } from '../journal/journal.js';
import { RecordType } from '../journal/record-types.js';
import { MAINNET_TOKENS, type TokenInfo } from './mainnet.js';

/** The tokens of this world: mainnet's and those an admin made. */
export class TokenRegistry {
  private readonly byMint = new Map<Key, TokenInfo>();
  private readonly bySymbol = new Map<string, TokenInfo>();

  constructor(private readonly journal: Journal) {
    for (const token of MAINNET_TOKENS) this.put(token);
  }

  /** Takes back a token that was made before. */
  replay(payload: Buffer): void {
    const { mint, ...rest } = JSON.parse(payload.toString()) as Omit<TokenInfo, 'mint'> & { mint: string };
    this.put({ ...rest, mint: parseKey(mint)! });
  }

  /** Adds a token that now exists on the chain. */
  add(token: TokenInfo): void {
    const record = JSON.stringify({ ...token, mint: keyText(token.mint) });
    this.journal.append(RecordType.token, Buffer.from(record));
    this.put(token);
  }

  /** By symbol (any case) or mint. */
  find(symbolOrMint: string): TokenInfo | undefined {
    const mint = parseKey(symbolOrMint);
    return this.bySymbol.get(symbolOrMint.toUpperCase()) ?? (mint && this.byMint.get(mint));
  }

  get(mint: Key): TokenInfo | undefined {
    return this.byMint.get(mint);
  }

  all(): TokenInfo[] {
    return [...this.byMint.values()];
  }

  private put(token: TokenInfo): void {
    this.byMint.set(token.mint, token);
    this.bySymbol.set(token.symbol.toUpperCase(), token);
  }
}
