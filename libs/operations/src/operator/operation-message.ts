import type { operationsV1 } from '@agent-wallet/contracts';
import type { Handler } from '../handlers/handler.js';
import { type OperationRecord, signatureOf } from '../records/operation.js';

/** Converts an operation to the message sent to operators. */
export function toOperation(record: OperationRecord, handler: Handler | undefined): operationsV1.Operation {
  const { id, agentId, action, state, createdAtMs, attempt, request, plan } = record;
  return {
    operationId: id,
    agentId,
    action,
    state,
    createdAtMs: BigInt(createdAtMs),
    signature: (plan === undefined ? undefined : handler?.describe(request, plan).signature) ?? signatureOf(record),
    lastValidBlockHeight: BigInt(attempt?.lastValidBlockHeight ?? 0),
  };
}
