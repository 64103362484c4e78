import { auditV1 } from '@agent-wallet/contracts';
import { eventually } from './eventually.js';
import type { Superuser } from './superuser.js';

interface StoredEvent {
  readonly event_id: string;
  readonly payload: Buffer;
}

/** Services that write events. */
const PRODUCERS = ['gateway', 'wallet', 'swap', 'policy'] as const;

const SETTLED = `select
  ${PRODUCERS.map((schema) => `(select count(*) from ${schema}.outbox)`).join(' + ')} as unpublished,
  (select count(*) from events.log l where not exists (
    select from history.events h where h.event_id = l.event_id)) as unrecorded`;

/** Waits until every outbox is empty and history has recorded what is in the stream. */
export async function untilRecorded(superuser: Superuser, withinMs = 20_000): Promise<void> {
  const read = async () => (await superuser.rows<{ unpublished: string; unrecorded: string }>(SETTLED))[0]!;
  await eventually(read, (found) => found.unpublished === '0' && found.unrecorded === '0', withinMs);
}

/** An agent's events as the stream has them, and the ids of those that history has recorded, each in its order. */
export async function eventsOf(superuser: Superuser, agentId: string) {
  const [published, recorded] = await Promise.all(
    ['events.log', 'history.events'].map((table) =>
      superuser.rows<StoredEvent>(
        `select event_id, payload from ${table} where agent_id = $1 order by position`,
        agentId,
      ),
    ),
  );
  return {
    published: published!.map(({ payload }) => auditV1.AuditEvent.decode(payload)),
    recordedIds: recorded!.map(({ event_id }) => event_id),
  };
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
