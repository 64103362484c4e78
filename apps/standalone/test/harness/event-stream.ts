import { auditV1 } from '@agent-wallet/contracts';
import { eventually } from '@agent-wallet/testing';
import type { Superuser } from './superuser.js';

/** Services that write events. */
const PRODUCERS = ['gateway', 'wallet', 'swap', 'prediction', 'policy'] as const;

const UNPUBLISHED = `select ${PRODUCERS.map((schema) => `(select count(*) from ${schema}.outbox)`).join(' + ')} as n`;

/** Waits until every outbox is empty and history has recorded what is in the stream. */
export async function untilRecorded(superuser: Superuser, withinMs = 20_000): Promise<void> {
  const read = async () => {
    const [unpublished] = await superuser.rows<{ n: string }>(UNPUBLISHED);
    const published = await superuser.published();
    const recorded = await superuser.rows<{ event_id: string }>('select event_id from history.events');
    const ids = new Set(recorded.map(({ event_id }) => event_id));
    return { unpublished: unpublished?.n, unrecorded: published.filter(({ eventId }) => !ids.has(eventId)).length };
  };
  await eventually(read, (found) => found.unpublished === '0' && found.unrecorded === 0, withinMs);
}

/**
 * An agent's events as the stream has them, and the ids of those that history has recorded, each in its order. It reads
 * at a moment at which there are as many of both, because an operation publishes after its response, too.
 */
export function eventsOf(superuser: Superuser, agentId: string) {
  const read = async () => {
    const published = (await superuser.published()).filter((event) => event.agentId === agentId);
    const recorded = await superuser.rows<{ event_id: string }>(
      'select event_id from history.events where agent_id = $1 order by position',
      agentId,
    );
    return {
      published: published.map(({ payload }) => auditV1.AuditEvent.decode(payload)),
      recordedIds: recorded.map(({ event_id }) => event_id),
    };
  };
  return eventually(read, ({ published, recordedIds }) => published.length === recordedIds.length);
}

/** The revisions of each transfer among events, in the order of the events. */
export function revisionsOfTransfers(events: readonly auditV1.AuditEvent[]): Map<string, number[]> {
  const revisions = new Map<string, number[]>();
  for (const { fact } of events) {
    if (fact?.$case !== 'operationChanged' || fact.value.action !== 'transfer') continue;
    const { operationId, revision } = fact.value;
    revisions.set(operationId, [...(revisions.get(operationId) ?? []), revision]);
  }
  return revisions;
}

/** The changes of policy among events, in the order of the events. */
export function policyChangesOf(events: readonly auditV1.AuditEvent[]): auditV1.PolicyChanged_Change[][] {
  return events.flatMap(({ fact }) => (fact?.$case === 'policyChanged' ? [fact.value.changes] : []));
}
