import type { Token } from './tokens.js';

/** What the accounts of a wallet hold that a trade touches. */
export interface Holdings {
  /** Of the wallet itself. */
  readonly lamports: bigint;
  /** Base units of the token in its account; 0 without one. */
  readonly inputUnits: bigint;
  readonly hasInputAccount: boolean;
  readonly hasOutputAccount: boolean;
  /** The wallet's account of wrapped SOL, when one side is native and there is one already. */
  readonly wrapped: WrappedSol | undefined;
}

/** An account of wrapped SOL. */
export interface WrappedSol {
  /** Of the token, in lamports. */
  readonly units: bigint;
  /** That the wallet gets when the account is closed: rent, and what came without being wrapped, among them. */
  readonly lamports: bigint;
}

/** A trade of one wallet. */
export interface Sides {
  readonly wallet: string;
  readonly input: Token;
  readonly output: Token;
}
