import type { Token } from './tokens.js';

/** What the accounts of a wallet hold that a trade touches. */
export interface Holdings {
  /** Of the wallet itself. */
  readonly lamports: bigint;
  /** Base units of the token in its account; 0 without one. */
  readonly inputUnits: bigint;
  readonly hasInputAccount: boolean;
  readonly hasOutputAccount: boolean;
}

/** A trade of one wallet. */
export interface Sides {
  readonly wallet: string;
  readonly input: Token;
  readonly output: Token;
}
