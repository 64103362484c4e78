import type { auditV1, historyV1 } from '@agent-wallet/contracts';
import { envelopeOf, eventIn, POLICY_UPDATE } from '@agent-wallet/events';
import { required } from '../../ports/services.js';
import { integerNumber, writeJson } from '../responses/exact-json.js';

/** A place in the chain of an agent. */
export interface ChangePlace {
  readonly agentId: string;
  readonly sequence: bigint;
}

/** A change as readers get it. */
export interface ChangeEvent extends ChangePlace {
  /** Position in the log. */
  readonly position: bigint;
  /** `data` of the event: one line of JSON. */
  readonly json: string;
}

/** Returns an event of the log as readers get it: where it stands and what to read again, not what it says. */
export function changeEvent({ place: given, eventId, payload, position }: historyV1.Change): ChangeEvent {
  const place = required(given, 'place');
  const event = eventIn(payload);
  const { type, time } = envelopeOf({ ...place, eventId, payload }, event);
  const { agentId, sequence } = place;
  const data = { agentId, sequence: integerNumber(sequence), eventId, type, occurredAt: time ?? null };
  return { ...place, position, json: writeJson({ ...data, ...recordOf(eventId, event?.fact) }) };
}

/** Returns the record of history that shows an event; null where none does. */
function recordOf(
  eventId: string,
  fact: auditV1.AuditEvent['fact'],
): { action: string | null; transactionId: string | null } {
  if (fact?.$case === 'operationChanged') return { action: fact.value.action, transactionId: fact.value.operationId };
  if (fact?.$case === 'policyChanged') return { action: POLICY_UPDATE, transactionId: eventId };
  return { action: null, transactionId: null };
}
