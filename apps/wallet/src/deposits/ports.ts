import type { SolanaChain } from '@agent-wallet/solana';

/** What looking for deposits reads from the chain. */
export type DepositChain = Pick<
  SolanaChain,
  'accounts' | 'finalizedHead' | 'signaturesForAddress' | 'signatureStatus' | 'transaction' | 'walletHoldings'
>;
