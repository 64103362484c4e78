import type { SolanaChain } from '@agent-wallet/solana';

/** What policy reads from the chain by itself. */
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
   * Base58 signatures of the finalized transactions that name an address, from a node that has finalized at least
   * `atSlot`: those from `sinceSlot` to `untilSlot`, both included. Undefined when there are more than can be looked through.
   * @throws AppError UPSTREAM_ERROR or UPSTREAM_TIMEOUT
   */
  naming(
    address: string,
    slots: { readonly sinceSlot: number; readonly untilSlot: number; readonly atSlot: number },
  ): Promise<string[] | undefined>;
}
