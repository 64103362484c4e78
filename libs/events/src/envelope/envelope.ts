import { auditV1 } from '@agent-wallet/contracts';
import { FACT_TYPES, OPERATION_TYPES, type PublishedStatus, UNKNOWN_TYPE } from '../catalogue/catalogue.js';
import type { EventRecord } from '../ports.js';

/** The context attributes of CloudEvents 1.0 that an event has beside its payload, each by its name there. */
export interface CloudEvent {
  /** UUIDv7, unique: the key of deduplication. */
  readonly id: string;
  /** `/` and the name of the service that owns the fact. */
  readonly source: string;
  /** From the catalogue. */
  readonly type: string;
  /** The agent (UUID), which is the key of the order, too. */
  readonly subject: string;
  /** RFC 3339, UTC; absent when the payload cannot be read. */
  readonly time?: string;
  /** Extension: what kind of operation it is about. */
  readonly action?: string;
  /** Extension for distributed tracing: W3C trace context. */
  readonly traceparent?: string;
}

/** The furthest time that a date can say, in Unix milliseconds. */
const MAX_TIME_MS = 8_640_000_000_000_000n;

/**
 * Returns the CloudEvents attributes of an event, derived from its payload alone. Never throws, because one event must
 * not block all those behind it. An unreadable payload, or one of a newer build, is of the type
 * `agentwallet.unknown.v1`.
 * @param event what the payload holds, of a caller that has read it already
 */
export function envelopeOf({ eventId, agentId, payload }: EventRecord, event = eventIn(payload)): CloudEvent {
  const ids = { id: eventId, subject: agentId };
  if (!event) return { ...ids, source: '/', type: UNKNOWN_TYPE };
  const { occurredAtMs, traceparent, fact, source } = event;
  return {
    ...ids,
    source: `/${source}`,
    type: typeOf(fact),
    ...(-MAX_TIME_MS <= occurredAtMs && occurredAtMs <= MAX_TIME_MS
      ? { time: new Date(Number(occurredAtMs)).toISOString() }
      : {}),
    ...(fact?.$case === 'operationChanged' ? { action: fact.value.action } : {}),
    ...(traceparent ? { traceparent } : {}),
  };
}

/** Returns the event that a payload holds; undefined for bytes that cannot be read. */
export function eventIn(payload: Uint8Array): auditV1.AuditEvent | undefined {
  try {
    return auditV1.AuditEvent.decode(payload);
  } catch {
    return undefined;
  }
}

function typeOf(fact: auditV1.AuditEvent['fact']): string {
  if (!fact) return UNKNOWN_TYPE;
  if (fact.$case !== 'operationChanged') return FACT_TYPES[fact.$case].type;
  const status = auditV1.OperationStatus[fact.value.status] as PublishedStatus;
  return OPERATION_TYPES[status]?.type ?? UNKNOWN_TYPE;
}
