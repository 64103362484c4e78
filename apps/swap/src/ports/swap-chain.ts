import type { SolanaChain } from '@agent-wallet/solana';

/** What a trade reads from the chain. */
export type SwapChain = Pick<
  SolanaChain,
  'accounts' | 'confirmedHead' | 'mint' | 'rentExemptMinimumLamports' | 'simulate' | 'transaction'
>;
