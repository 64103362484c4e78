/** Bounds that policy sets for every swap, regardless of the agent's own policy. */
export interface SwapTerms {
  /** The most that network fee and tips of one swap may cost the wallet or its sponsor, in lamports. */
  readonly maxNetworkLamports: bigint;
  /** Whether a market maker may sign the same bytes, and pay for them. */
  readonly allowsCosigned: boolean;
}
