import { auditV1 } from '@agent-wallet/contracts';
import { isUuid } from '@agent-wallet/kernel';
import type { EventRecord } from '@agent-wallet/events';
import type { TransactionRecord } from '../domain/transaction-record.js';
import type { ReadableEvent } from '../ports/event-store.js';
import { recordOf, settledOf } from './record-of.js';
import { checkTime, UnreadableEvent } from './unreadable-event.js';

/**
 * Reads an event of the stream. What passes here can be stored: nothing is left for the database to
 * refuse. A fact of a kind we do not know yet is recorded without being shown.
 * @throws UnreadableEvent
 */
export function readEvent({ payload, ...envelope }: EventRecord): ReadableEvent {
  const event = decode(payload);
  if (event.eventId !== envelope.eventId || event.agentId !== envelope.agentId) {
    throw new UnreadableEvent('its envelope has other ids');
  }
  if (!isUuid(event.eventId) || !isUuid(event.agentId)) throw new UnreadableEvent('its ids are not UUIDs');
  // One spelling an id, for they are compared with what the database gives back.
  const eventId = event.eventId.toLowerCase();
  const agentId = event.agentId.toLowerCase();
  const occurredAtMs = checkTime('occurred_at_ms', event.occurredAtMs);
  const known = { ...event, eventId, agentId };
  return { eventId, agentId, occurredAtMs, payload, record: checkText(recordOf(known)), settled: settledOf(known) };
}

function decode(payload: Uint8Array): auditV1.AuditEvent {
  try {
    return auditV1.AuditEvent.decode(payload);
  } catch (cause) {
    throw new UnreadableEvent('it is not an AuditEvent', { cause });
  }
}

/** Postgres keeps every text but those with a zero character. */
function checkText(record: TransactionRecord | undefined): TransactionRecord | undefined {
  const texts = record ? [record.action, record.asset, record.recipient, record.signature] : [];
  if (texts.some((text) => text.includes('\0'))) throw new UnreadableEvent('a text holds a zero character');
  return record;
}
