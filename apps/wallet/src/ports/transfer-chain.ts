import type { SolanaChain } from '@agent-wallet/solana';

/** The chain's reads for a transfer. */
export type TransferChain = Pick<
  SolanaChain,
  'accounts' | 'head' | 'latestBlockhash' | 'mint' | 'mintState' | 'rentExemptMinimumLamports' | 'transaction'
>;

/** The chain's reads for an unwrap. */
export type UnwrapChain = Pick<SolanaChain, 'accounts' | 'latestBlockhash' | 'rentExemptMinimumLamports'>;
