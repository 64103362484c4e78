import type { Queryable } from '@agent-wallet/platform';
import type { ReadableEvent } from '../ports/event-store.js';
import { timestamp } from './timestamp.js';

/** The ids of those events that were not there yet. */
export async function insertEvents(tx: Queryable, events: readonly ReadableEvent[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ event_id: string }>({
    name: 'events-insert',
    text: `insert into events (event_id, agent_id, occurred_at, payload)
           select event_id, agent_id, occurred_at, payload
           from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::bytea[]) with ordinality
             as given (event_id, agent_id, occurred_at, payload, n)
           order by n
           on conflict (event_id) do nothing
           returning event_id`,
    values: [
      events.map((event) => event.eventId),
      events.map((event) => event.agentId),
      events.map((event) => timestamp(event.occurredAtMs)),
      events.map((event) => event.payload),
    ],
  });
  return new Set(rows.map((row) => row.event_id));
}
