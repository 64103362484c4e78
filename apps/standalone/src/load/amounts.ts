/** The tokens that are moved. */
export type Token = 'SOL' | 'USDC';

const UNITS: Readonly<Record<Token, number>> = { SOL: 1e9, USDC: 1e6 };
const FIRST: Readonly<Record<Token, bigint>> = { SOL: 1_000_000n, USDC: 100_000n };

/** Converts base units to the number that a request takes: its JSON text is exact. */
export const amountOf = (token: Token, raw: bigint): number => Number(raw) / UNITS[token];

/** Converts dollars with at most six decimals to micro-dollars, exactly. */
export const micros = (dollars: number): bigint => BigInt(Math.round(dollars * 1e6));

/**
 * Returns the micro-dollars that policy counts for base units: a USDC is a dollar here, SOL has a price in whole
 * dollars.
 */
export function valueMicros(token: Token, raw: bigint, solUsd: number): bigint {
  return token === 'USDC' ? raw : (raw * BigInt(solUsd) + 999n) / 1_000n;
}

/** Amounts of which no two are equal, so that money that moves twice shows. */
export class Amounts {
  readonly #next = { ...FIRST };

  /** Returns base units: about a thousandth SOL, or ten cents. */
  next(token: Token): bigint {
    this.#next[token] += 1n;
    return this.#next[token];
  }
}
