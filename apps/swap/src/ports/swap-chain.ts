import type { SolanaChain } from '@agent-wallet/solana';

/** What a trade reads from the chain. */
export type SwapChain = Pick<
  SolanaChain,
  'accounts' | 'head' | 'mint' | 'rentExemptMinimumLamports' | 'simulate' | 'transaction'
>;
