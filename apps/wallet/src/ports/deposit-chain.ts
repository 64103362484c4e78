import type { ChainTime, SolanaChain } from '@agent-wallet/solana';

/** The chain's reads for the search for deposits. */
export type DepositChain = Pick<
  SolanaChain,
  'accounts' | 'finalizedHead' | 'signaturesForAddress' | 'signatureStatus' | 'time' | 'transaction' | 'walletHoldings'
>;

/** Receives the cluster's time wherever a response has it anyway, without a call of its own. */
export interface TimeWitness {
  saw(time: ChainTime): void;
}
