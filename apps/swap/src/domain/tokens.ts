/** The mint of wrapped SOL; in a trade it means the native coin, which is wrapped and unwrapped on the way. */
export const NATIVE_MINT = 'So11111111111111111111111111111111111111112';

/** The symbols of the specification. Everything else is named by its mint, because a symbol can be anyone's. */
const MINT_BY_SYMBOL: ReadonlyMap<string, string> = new Map([
  ['SOL', NATIVE_MINT],
  ['USDC', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
  ['USDT', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'],
  ['JUP', 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'],
  ['BONK', 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'],
  ['WIF', 'EKpQGSJtjMFqKZ9KQanSqYXRcF8fBopzLHYxdM65zcjm'],
  ['RAY', '4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R'],
  ['ORCA', 'orcaEKTdK7LKz57vaAYr9QeNsVEPfiu6QeMU1kektZE'],
]);

/** The mint that one of the known symbols stands for. */
export function mintOfSymbol(symbol: string): string | undefined {
  return MINT_BY_SYMBOL.get(symbol);
}

/** One side of a trade. */
export interface Token {
  /** Base58 address of the mint; that of wrapped SOL for the native coin. */
  readonly mint: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Base58 address of the program that owns the mint. */
  readonly tokenProgram: string;
}

/** Whether a side of a trade is the native coin. */
export function isNative({ mint }: Pick<Token, 'mint'>): boolean {
  return mint === NATIVE_MINT;
}
