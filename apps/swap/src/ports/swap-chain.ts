import type { SolanaChain } from '@agent-wallet/solana';

/** Chain reads of a trade. */
export type SwapChain = Pick<
  SolanaChain,
  'accounts' | 'confirmedHead' | 'mint' | 'rentExemptMinimumLamports' | 'simulate' | 'transaction'
>;
