import { auditV1 } from '@agent-wallet/contracts';
import { type Clock, newId } from '@agent-wallet/kernel';
import { currentRequest, type ServiceName } from '@agent-wallet/platform';
import { currentTraceparent } from '@agent-wallet/telemetry';
import type { EventRecord } from '../ports.js';

/** A fact of the audit log, as the generated oneof. */
export type AuditFact = NonNullable<auditV1.AuditEvent['fact']>;

/** Whose facts are published, and by which clock. */
export interface EventSource {
  readonly source: ServiceName;
  readonly clock: Clock;
}

/** Facts whose notices name who asked and from where. The audit log keeps the networks of no other requests. */
const NAMES_ASKER: ReadonlySet<AuditFact['$case']> = new Set([
  'approvalRequested',
  'policyChanged',
  'passkeyChanged',
  'memberChanged',
  'operatorActed',
  'tokenReused',
  'tokenOpened',
  'tokenEnded',
]);

/**
 * Creates the event of a fact, with its own ID and time, and the trace that it is part of.
 * @param requestId of the request that caused it; the one being worked on when omitted
 */
export function auditEvent(
  { source, clock }: EventSource,
  agentId: string,
  fact: AuditFact,
  requestId = currentRequest()?.requestId ?? '',
): EventRecord {
  const eventId = newId();
  const occurredAtMs = BigInt(clock.nowMs());
  const { askedBy, askedFrom } = (NAMES_ASKER.has(fact.$case) && currentRequest()) || {};
  const traceparent = currentTraceparent();
  const event = { eventId, agentId, occurredAtMs, source, requestId, traceparent, askedBy, askedFrom, fact };
  return { eventId, agentId, payload: auditV1.AuditEvent.encode(event).finish() };
}
