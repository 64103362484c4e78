import type { policyV1, signerV1 } from '@agent-wallet/contracts';
import type { SolanaChain } from '@agent-wallet/solana';

/*
 * What the machinery needs of the others. A rejection with an AppError is the other's own answer; any other rejection
 * means that nobody knows whether it did the work.
 */

/** The policy service. A generated client fits. */
export interface OperationPolicy {
  authorize(request: policyV1.AuthorizeRequest): Promise<policyV1.AuthorizeResponse>;
  settle(request: policyV1.SettleRequest): Promise<policyV1.SettleResponse>;
}

/** What policy says of recoveries. A generated client fits. */
export interface OperationRecoveries {
  getRecovery(request: policyV1.GetRecoveryRequest): Promise<policyV1.GetRecoveryResponse>;
}

/** The signer. A generated client fits. */
export interface OperationSigner {
  sign(request: signerV1.SignRequest): Promise<signerV1.SignResponse>;
}

/** The chain: it takes bytes, and says what became of them. */
export type OperationChain = Pick<
  SolanaChain,
  'send' | 'signatureStatus' | 'finalizedHead' | 'signaturesForAddress' | 'transaction'
>;
