import type { SolanaChain } from '@agent-wallet/solana';

/** Chain reads of a trade. */
export type SwapChain = Pick<
  SolanaChain,
  'accounts' | 'confirmedHead' | 'mint' | 'rentExemptMinimumLamports' | 'simulate' | 'transaction'
>;

/** Chain reads of additions and removals of liquidity. */
export type LiquidityChain = Pick<
  SolanaChain,
  'accounts' | 'latestBlockhash' | 'mintState' | 'rentExemptMinimumLamports' | 'simulate' | 'transaction'
>;
