/** A page of pools. */
export interface PoolPage {
  /** Base58 addresses, the largest pool first. Only the chain says what lives there. */
  readonly pools: readonly string[];
  /** For the next page; empty at the end. */
  readonly cursor: string;
}

/** The venue's own list of pools. Only addresses are taken from it. */
export interface PoolDirectory {
  /**
   * Lists constant-product pools of up to two tokens.
   * @throws AppError UPSTREAM_ERROR, UPSTREAM_TIMEOUT; VALIDATION_ERROR for a cursor that is none
   */
  list(query: {
    readonly mints: readonly string[];
    readonly limit: number;
    readonly cursor: string;
  }): Promise<PoolPage>;
  /**
   * Finds the pools of liquidity mints, as far as it knows them. Does not wait for long: balances wait for it.
   * @param lpMints at most 50
   * @throws AppError UPSTREAM_ERROR, UPSTREAM_TIMEOUT
   */
  byLpMint(lpMints: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** Pools that this service has read from the chain, by their liquidity mints. */
export interface KnownPools {
  /** Keeps a pool. */
  remember(lpMint: string, pool: string): Promise<void>;
  find(lpMints: readonly string[]): Promise<ReadonlyMap<string, string>>;
}
