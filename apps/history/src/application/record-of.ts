import { auditV1, operationsV1 } from '@agent-wallet/contracts';
import { POLICY_UPDATE } from '@agent-wallet/events';
import { isUuid } from '@agent-wallet/kernel';
import type { SettledValue, TransactionRecord, TransactionStatus } from '../domain/transaction-record.js';
import { findEscrow, findSearchText, findShownStatus } from './shown-facts.js';
import { checkTime, UnreadableEvent } from './unreadable-event.js';

const { OperationStatus } = auditV1;

const STATUS_NAMES: ReadonlyMap<auditV1.OperationStatus, TransactionStatus> = new Map([
  [OperationStatus.OPERATION_STATUS_PENDING, 'pending'],
  [OperationStatus.OPERATION_STATUS_SUBMITTED, 'submitted'],
  [OperationStatus.OPERATION_STATUS_CONFIRMED, 'confirmed'],
  [OperationStatus.OPERATION_STATUS_FAILED, 'failed'],
  [OperationStatus.OPERATION_STATUS_EXPIRED, 'expired'],
  [OperationStatus.OPERATION_STATUS_REJECTED_BY_POLICY, 'rejected_by_policy'],
  [OperationStatus.OPERATION_STATUS_DROPPED, 'dropped'],
  [OperationStatus.OPERATION_STATUS_AWAITING_APPROVAL, 'awaiting_approval'],
  [OperationStatus.OPERATION_STATUS_REJECTED_BY_OWNER, 'rejected_by_owner'],
  [OperationStatus.OPERATION_STATUS_CANCELLED, 'cancelled'],
]);
const MAX_DECIMALS = 255;
/** It stands in the keys of tables, which hold no text of any length. */
const MAX_ACTION_LENGTH = 64;

/**
 * Returns the record that an agent sees of an event: an operation's state, or a change of its policy. Undefined for
 * every other event.
 * @throws UnreadableEvent
 */
export function recordOf(event: auditV1.AuditEvent): TransactionRecord | undefined {
  switch (event.fact?.$case) {
    case 'operationChanged':
      return operationRecord(event, event.fact.value);
    case 'policyChanged':
      return policyRecord(event, event.fact.value);
    default:
      return undefined;
  }
}

/** Returns the value that an event settles; undefined for every other event. @throws UnreadableEvent */
export function settledOf({ agentId, fact }: auditV1.AuditEvent): SettledValue | undefined {
  if (fact?.$case !== 'reservationSettled') return undefined;
  const { operationId, valueUsdMicros } = fact.value;
  if (!isUuid(operationId)) throw new UnreadableEvent('operation_id is not a UUID');
  return { id: operationId.toLowerCase(), agentId, usdMicros: valueUsdMicros };
}

function operationRecord(event: auditV1.AuditEvent, operation: auditV1.OperationChanged): TransactionRecord {
  const status = STATUS_NAMES.get(operation.status);
  if (!isUuid(operation.operationId)) throw new UnreadableEvent('operation_id is not a UUID');
  if (!status) throw new UnreadableEvent('its status is not known');
  if (!operation.action) throw new UnreadableEvent('it has no action');
  if (operation.action.length > MAX_ACTION_LENGTH) throw new UnreadableEvent('its action is too long');
  if (operation.decimals > MAX_DECIMALS) throw new UnreadableEvent('decimals is more than a mint can have');
  if (operation.facts?.errorJson) checkError(operation.facts.errorJson);
  const facts = serialized(operation.facts ?? { errorJson: '', action: undefined });
  const { revision, action, asset, amount, decimals, to, signature } = operation;
  const createdAtMs = checkTime('created_at_ms', operation.createdAtMs);
  const updatedAtMs = checkTime('occurred_at_ms', event.occurredAtMs);
  const id = operation.operationId.toLowerCase();
  const subject = { asset, amount, decimals, recipient: to, signature };
  const shownStatus = findShownStatus(status, operation.facts);
  const searchText = findSearchText(asset, operation.facts);
  const escrow = findEscrow(operation.facts);
  const known = { id, agentId: event.agentId, revision, action, status, shownStatus };
  return { ...known, ...subject, facts, escrow, searchText, createdAtMs, updatedAtMs };
}

function policyRecord(event: auditV1.AuditEvent, { changes }: auditV1.PolicyChanged): TransactionRecord {
  for (const { before, after } of changes) {
    checkJson('before', before);
    checkJson('after', after);
  }
  const occurredAtMs = checkTime('occurred_at_ms', event.occurredAtMs);
  return {
    id: event.eventId,
    agentId: event.agentId,
    revision: 1,
    action: POLICY_UPDATE,
    status: 'confirmed',
    shownStatus: 'confirmed',
    asset: '',
    amount: undefined,
    decimals: 0,
    recipient: '',
    signature: '',
    facts: serialized({ action: { $case: 'policyUpdate', value: { changes } }, errorJson: '' }),
    searchText: '',
    createdAtMs: occurredAtMs,
    updatedAtMs: occurredAtMs,
  };
}

function serialized(facts: operationsV1.OperationFacts): Uint8Array {
  return operationsV1.OperationFacts.encode(facts).finish();
}

/** Checks the error of an operation, which readers take apart. @throws UnreadableEvent */
function checkError(text: string): void {
  const error = checkJson('error_json', text);
  if (typeof error !== 'object' || error === null) throw new UnreadableEvent('error_json is not an object');
}

/** Returns the value of a text that readers parse. @throws UnreadableEvent */
function checkJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UnreadableEvent(`${name} is not JSON`, { cause });
  }
}
