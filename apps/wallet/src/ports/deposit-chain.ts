import type { ChainTime, SolanaChain } from '@agent-wallet/solana';

/** What looking for deposits reads from the chain. */
export type DepositChain = Pick<
  SolanaChain,
  'accounts' | 'finalizedHead' | 'signaturesForAddress' | 'signatureStatus' | 'time' | 'transaction' | 'walletHoldings'
>;

/** Is told the cluster's time, wherever that comes with something else and costs no call. */
export interface TimeWitness {
  saw(time: ChainTime): void;
}
