import { auditV1 } from '@agent-wallet/contracts';
import type { EventRecord } from '@agent-wallet/events';
import { isUuid, NIL_UUID } from '@agent-wallet/kernel';
import { LARGE_SPEND_USD_MICROS, type Notice, type NoticeFact } from '../../domain/notices/notice.js';
import { readChange, readRequest } from './read-document.js';

const { OperationStatus } = auditV1;

/** A token cannot have more. */
const MAX_DECIMALS = 255;
/** The furthest time that a date can have, in Unix milliseconds. */
const MAX_TIME_MS = 8_640_000_000_000_000;

/** A session that was opened: from where, only the gateway's own table says. */
interface OpenedSession {
  readonly kind: 'session_opened';
  readonly sessionId: string;
}

/** An event that may lead to a notice. */
export type ReadEvent = Omit<Notice, 'fact'> & { readonly fact: NoticeFact | OpenedSession };

/**
 * Reads an event. Undefined for what no notice is about, for what concerns all agents at once, and for what cannot be read:
 * history sets that aside, and a notice about it would say nothing.
 */
export function readNotice(record: EventRecord): ReadEvent | undefined {
  try {
    const event = auditV1.AuditEvent.decode(record.payload);
    const { eventId, agentId: subjectId, askedFrom } = event;
    if (eventId !== record.eventId || subjectId !== record.agentId || subjectId === NIL_UUID) return undefined;
    const fact = event.fact && readFact(event.fact);
    if (!fact || ![eventId, subjectId, ...idsOf(fact)].every(isUuid)) return undefined;
    const occurredAtMs = Number(event.occurredAtMs);
    if (Math.abs(occurredAtMs) > MAX_TIME_MS) return undefined;
    return { eventId, subjectId, occurredAtMs, askedBy: askerOf(event), askedFrom, fact };
  } catch {
    return undefined;
  }
}

/** Returns the IDs by which tables are queried. */
function idsOf(fact: NoticeFact | OpenedSession): string[] {
  if (fact.kind === 'session_opened') return [fact.sessionId];
  if (fact.kind === 'new_recipient') return [fact.payment.operationId];
  if (fact.kind === 'large_spend') return [fact.operationId];
  return 'ownerId' in fact ? [fact.ownerId] : [];
}

function askerOf({ askedBy = '' }: auditV1.AuditEvent): string | undefined {
  const [who = '', id = ''] = askedBy.split(' ');
  if (who === 'agent') return who;
  return who === 'owner' && isUuid(id) ? `owner ${id}` : undefined;
}

type Fact = NonNullable<auditV1.AuditEvent['fact']>;

function readFact(fact: Fact): NoticeFact | OpenedSession | undefined {
  switch (fact.$case) {
    case 'approvalRequested':
      return {
        kind: 'approval_requested',
        approvalId: fact.value.approvalId,
        request: readRequest(fact.value.kind, fact.value.document),
      };
    case 'policyChanged':
      return { kind: 'policy_changed', changes: fact.value.changes.map(readChange) };
    case 'passkeyChanged': {
      const { ownerId, action, credentialId } = fact.value;
      return { kind: 'passkey_changed', ownerId, action, credentialId };
    }
    case 'approvalDecided':
      return signedClaim(fact.value);
    case 'approvalClosed':
      return endedClaim(fact.value);
    case 'memberChanged':
      return { kind: 'member_changed', ownerId: fact.value.ownerId, action: fact.value.action };
    case 'tokenReused':
      return { kind: 'token_reused' };
    case 'tokenOpened':
      return openedToken(fact.value);
    case 'sessionStarted':
      return { kind: 'session_opened', sessionId: fact.value.sessionId };
    case 'reservationSettled':
      return largeSpend(fact.value);
    case 'operationChanged':
      return payment(fact.value);
    case 'operatorActed':
      return actOfOperator(fact.value);
    default:
      return undefined;
  }
}

function openedToken({ name, scopes, expiresAtMs }: auditV1.TokenOpened): NoticeFact | undefined {
  const timeMs = Number(expiresAtMs);
  return Math.abs(timeMs) > MAX_TIME_MS ? undefined : { kind: 'token_opened', name, scopes, expiresAtMs: timeMs };
}

/** Returns a claim that takes effect later: of what is decided at once, the effect has its own notice. */
function signedClaim({ ownerId, effectiveAtMs }: auditV1.ApprovalDecided): NoticeFact | undefined {
  const timeMs = Number(effectiveAtMs ?? Infinity);
  return timeMs > MAX_TIME_MS ? undefined : { kind: 'claim_signed', ownerId, effectiveAtMs: timeMs };
}

/** Returns the end of a claim without effect. Its effect has a notice of its own. */
function endedClaim({ kind, ownerId, state }: auditV1.ApprovalClosed): NoticeFact | undefined {
  const isNews = kind === 'claim' && (state === 'withdrawn' || state === 'rejected' || state === 'superseded');
  return isNews ? { kind: 'claim_ended', ownerId, state } : undefined;
}

function largeSpend({ operationId, valueUsdMicros }: auditV1.ReservationSettled): NoticeFact | undefined {
  if (valueUsdMicros <= LARGE_SPEND_USD_MICROS) return undefined;
  return { kind: 'large_spend', operationId, usdMicros: valueUsdMicros };
}

/**
 * Returns the payment of a transfer that landed. A later step decides from stored recipients whether this one is new.
 */
function payment(operation: auditV1.OperationChanged): NoticeFact | undefined {
  const { operationId, action, status, to: recipient, asset, amount = 0n, decimals, facts } = operation;
  if (action !== 'transfer' || status !== OperationStatus.OPERATION_STATUS_CONFIRMED) return undefined;
  if (!/^\w{1,64}$/.test(recipient) || decimals > MAX_DECIMALS) return undefined;
  return {
    kind: 'new_recipient',
    payment: {
      operationId,
      recipient,
      asset,
      amount,
      decimals,
      memo: facts?.action?.$case === 'transfer' ? facts.action.value.memo : '',
    },
  };
}

function actOfOperator({ operator, action, reason }: auditV1.OperatorActed): NoticeFact | undefined {
  if (action === 'confirm_recovery') return { kind: 'recovery_confirmed', reason };
  const byOwner = operator === 'owner' || operator.startsWith('owner ');
  if (action === 'freeze') return { kind: 'frozen', byOwner, reason };
  if (action === 'unfreeze') return { kind: 'unfrozen', byOwner, reason };
  return undefined;
}
