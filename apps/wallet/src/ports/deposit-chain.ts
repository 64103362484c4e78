import type { SolanaChain } from '@agent-wallet/solana';

/** The chain's reads for the search for deposits. */
export type DepositChain = Pick<
  SolanaChain,
  'accounts' | 'finalizedHead' | 'signaturesForAddress' | 'signatureStatus' | 'transaction' | 'walletHoldings'
>;
