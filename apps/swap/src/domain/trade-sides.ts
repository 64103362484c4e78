import type { Token } from './tokens.js';

/** Contents of the wallet's accounts that a trade touches. */
export interface Holdings {
  /** Lamports of the wallet itself. */
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
  /** Wrapped SOL, in lamports. */
  readonly units: bigint;
  /**
   * Lamports that the wallet gets when the account is closed, including rent and lamports that came without being
   * wrapped.
   */
  readonly lamports: bigint;
}

/** A trade of one wallet. */
export interface Sides {
  readonly wallet: string;
  readonly input: Token;
  readonly output: Token;
}
