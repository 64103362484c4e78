import type { SolanaChain } from '@agent-wallet/solana';

/** Chain reads that policy does by itself. */
export type PolicyChain = Pick<
  SolanaChain,
  | 'accounts'
  | 'mint'
  | 'rentExemptMinimumLamports'
  | 'head'
  | 'finalizedHead'
  | 'signatureStatus'
  | 'transaction'
  | 'blockTimeMs'
>;

/** Lists what landed. */
export interface LandedSignatures {
  /**
   * Returns base58 signatures of the finalized transactions that name an address, from `sinceSlot` to `untilSlot`, both
   * included. Reads a node that has finalized at least `atSlot`. Undefined when there are too many to search.
   * @throws AppError UPSTREAM_ERROR or UPSTREAM_TIMEOUT
   */
  naming(
    address: string,
    slots: { readonly sinceSlot: number; readonly untilSlot: number; readonly atSlot: number },
  ): Promise<string[] | undefined>;
}
