import type { SolanaChain } from '@agent-wallet/solana';

/** What a transfer reads from the chain. */
export type TransferChain = Pick<
  SolanaChain,
  'accounts' | 'head' | 'latestBlockhash' | 'mint' | 'mintState' | 'rentExemptMinimumLamports' | 'transaction'
>;

/** What an unwrap reads from the chain. */
export type UnwrapChain = Pick<SolanaChain, 'accounts' | 'latestBlockhash' | 'rentExemptMinimumLamports'>;
