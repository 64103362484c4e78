import { auditV1, type operationsV1 } from '@agent-wallet/contracts';
import { auditEvent, type EventRecord, type EventSource } from '@agent-wallet/events';
import { publicError } from '@agent-wallet/kernel';
import { requiredSigners, splitTransaction } from '@agent-wallet/solana';
import type { Handler, PermitName } from '../handlers/handler.js';
import { type OperationRecord, type OperationState, payerOf, signatureOf } from '../records/operation.js';
import { toRecordedError } from '../records/recorded-error.js';

const STATUS: Readonly<Record<OperationState, auditV1.OperationStatus>> = {
  pending: auditV1.OperationStatus.OPERATION_STATUS_PENDING,
  awaiting_approval: auditV1.OperationStatus.OPERATION_STATUS_AWAITING_APPROVAL,
  submitted: auditV1.OperationStatus.OPERATION_STATUS_SUBMITTED,
  confirmed: auditV1.OperationStatus.OPERATION_STATUS_CONFIRMED,
  failed: auditV1.OperationStatus.OPERATION_STATUS_FAILED,
  expired: auditV1.OperationStatus.OPERATION_STATUS_EXPIRED,
  rejected: auditV1.OperationStatus.OPERATION_STATUS_REJECTED_BY_POLICY,
};

/**
 * Returns the published status. An operation that was not approved is rejected by its owner, cancelled by its agent, or
 * rejected by policy.
 */
function statusOf({ state, error }: OperationRecord): auditV1.OperationStatus {
  if (error?.code !== 'APPROVAL_REJECTED') return STATUS[state];
  if (error.data.reason === 'rejected') return auditV1.OperationStatus.OPERATION_STATUS_REJECTED_BY_OWNER;
  return error.data.reason === 'withdrawn' ? auditV1.OperationStatus.OPERATION_STATUS_CANCELLED : STATUS[state];
}

/** Builds the event that publishes the whole record of an operation. */
export function operationEvent(record: OperationRecord, handler: Handler, from: EventSource): EventRecord {
  const described = handler.describe(record.request, record.plan);
  const { facts, signature, to = '', asset = '', amount, decimals = 0 } = described;
  const value: auditV1.OperationChanged = {
    to,
    asset,
    amount,
    decimals,
    operationId: record.id,
    revision: record.revision,
    action: record.action,
    status: statusOf(record),
    signature: signature ?? signatureOf(record),
    facts: { action: facts, ...outcomeOf(record) },
    createdAtMs: BigInt(record.createdAtMs),
    countersignature: record.state === 'submitted' ? countersignatureOf(record) : undefined,
  };
  return auditEvent(from, record.agentId, { $case: 'operationChanged', value }, record.requestId);
}

/**
 * Builds the event of a signature for another service's operation, which publishes its changes itself. Returns
 * undefined when the signer gave no countersignature.
 * @param name what policy knows the message by
 */
export function signedEvent(record: OperationRecord, name: PermitName, from: EventSource): EventRecord | undefined {
  const countersignature = countersignatureOf(record);
  if (!countersignature) return undefined;
  const fact = { $case: 'messageSigned', value: { ...name, countersignature } } as const;
  return auditEvent(from, record.agentId, fact, record.requestId);
}

/** Returns the countersignature of the signer's boot over its own signatures, without a cosigner's. */
function countersignatureOf({ attempt }: OperationRecord): auditV1.Countersignature | undefined {
  if (!attempt?.countersignature || !attempt.transaction) return undefined;
  const { message, messageHash, transaction, intent, countersignature } = attempt;
  const signers = requiredSigners(message);
  const { signatures } = splitTransaction(transaction);
  const asked = [payerOf(intent), intent.sponsor].filter((address) => address !== undefined);
  return {
    permitId: countersignature.permitId,
    messageHash: Buffer.from(messageHash),
    signatures: asked.map((address) => Buffer.from(signatures[signers.indexOf(address)]!)),
    ephemeralKey: Buffer.from(countersignature.ephemeralKey),
    signature: Buffer.from(countersignature.signature),
  };
}

/** Returns the network fee of a landed transaction, and the error if there is one. */
function outcomeOf({ attempt, error, requestId }: OperationRecord): Omit<operationsV1.OperationFacts, 'action'> {
  const hasLanded = attempt?.state === 'landed' || attempt?.state === 'failed';
  return {
    networkFeeLamports: hasLanded ? attempt.networkFeeLamports : undefined,
    // The agent can read its events; the row keeps the whole error.
    errorJson: error ? JSON.stringify({ ...toRecordedError(publicError(error)), requestId }, amountsAsText) : '',
  };
}

/** Amounts are decimal strings in the data of an error. */
function amountsAsText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
