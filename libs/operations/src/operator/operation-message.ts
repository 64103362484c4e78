import type { walletV1 } from '@agent-wallet/contracts';
import { signatureText } from '@agent-wallet/solana';
import type { OperationRecord } from '../records/operation.js';

/** An operation as it is sent to the people who run the service. */
export function toOperation({ id, agentId, action, state, createdAtMs, attempt }: OperationRecord): walletV1.Operation {
  return {
    operationId: id,
    agentId,
    action,
    state,
    createdAtMs: BigInt(createdAtMs),
    signature: attempt?.signature ? signatureText(attempt.signature) : '',
    lastValidBlockHeight: BigInt(attempt?.lastValidBlockHeight ?? 0),
  };
}
