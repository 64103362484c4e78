import type { operationsV1 } from '@agent-wallet/contracts';
import type { Kind } from '../kinds/saga-kind.js';
import { type OperationRecord, signatureOf } from '../records/operation.js';

/** An operation as it is sent to the people who run the service. */
export function toOperation(record: OperationRecord, kind: Kind | undefined): operationsV1.Operation {
  const { id, agentId, action, state, createdAtMs, attempt, request, plan } = record;
  return {
    operationId: id,
    agentId,
    action,
    state,
    createdAtMs: BigInt(createdAtMs),
    signature: (plan === undefined ? undefined : kind?.describe(request, plan).signature) ?? signatureOf(record),
    lastValidBlockHeight: BigInt(attempt?.lastValidBlockHeight ?? 0),
  };
}
