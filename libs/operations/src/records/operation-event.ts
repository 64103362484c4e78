import { auditV1 } from '@agent-wallet/contracts';
import { auditEvent, type EventRecord, type EventSource } from '@agent-wallet/events';
import type { Kind } from '../kinds.js';
import { type OperationRecord, type OperationState, signatureOf } from './operation.js';

const STATUS: Readonly<Record<OperationState, auditV1.OperationStatus>> = {
  pending: auditV1.OperationStatus.OPERATION_STATUS_PENDING,
  submitted: auditV1.OperationStatus.OPERATION_STATUS_SUBMITTED,
  confirmed: auditV1.OperationStatus.OPERATION_STATUS_CONFIRMED,
  failed: auditV1.OperationStatus.OPERATION_STATUS_FAILED,
  expired: auditV1.OperationStatus.OPERATION_STATUS_EXPIRED,
  rejected: auditV1.OperationStatus.OPERATION_STATUS_REJECTED_BY_POLICY,
};

/** The whole record of an operation, as history is told it. */
export function operationEvent(record: OperationRecord, kind: Kind, from: EventSource): EventRecord {
  const { metadata, signature, ...description } = kind.describe(record.request, record.plan);
  const value: auditV1.OperationChanged = {
    ...description,
    operationId: record.id,
    revision: record.revision,
    action: record.action,
    status: STATUS[record.state],
    signature: signature ?? signatureOf(record),
    metadataJson: JSON.stringify({ ...metadata, ...outcomeOf(record) }),
    createdAtMs: BigInt(record.createdAtMs),
  };
  return auditEvent(from, record.agentId, { $case: 'operationChanged', value }, record.requestId);
}

/** The network fee of what landed, and why it was not done. */
function outcomeOf({ attempt, error }: OperationRecord): Record<string, unknown> {
  const hasLanded = attempt?.state === 'landed' || attempt?.state === 'failed';
  return {
    ...(hasLanded ? { networkFeeLamports: attempt.networkFeeLamports.toString() } : {}),
    ...(error ? { error: { code: error.code, message: error.message, ...error.data } } : {}),
  };
}
