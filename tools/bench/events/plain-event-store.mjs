// What history would write without its hash chains.
import { latestRevisions } from '../../../apps/history/dist/domain/transaction-record.js';
import { writeLatest } from '../../../apps/history/dist/adapters/write-records.js';

/** The table that `makePlainEvents` makes, and the same records as history keeps. */
export class PlainEventStore {
  #database;

  constructor(database) {
    this.#database = database;
  }

  async append(events) {
    await this.#database.transaction(async (tx) => {
      await tx.query('select pg_advisory_xact_lock(7214004, hashtext($1))', [this.#database.schema]);
      const { rows } = await tx.query({
        name: 'plain-insert',
        text: `insert into plain_events (event_id, agent_id, occurred_at, payload)
               select event_id, agent_id, timestamptz 'epoch' + occurred_at_ms * interval '1 millisecond',
                 substring($4::bytea, (payload_end - size + 1)::int, size)
               from unnest($1::uuid[], $2::uuid[], $3::bigint[], $5::int[], $6::int[]) with ordinality
                 as given (event_id, agent_id, occurred_at_ms, payload_end, size, n)
               order by n on conflict (event_id) do nothing returning event_id`,
        values: columnsOf(events),
      });
      const isNew = new Set(rows.map((row) => row.event_id));
      const records = events.flatMap(({ eventId, record }) => (record && isNew.has(eventId) ? [record] : []));
      if (records.length > 0) await writeLatest(tx, latestRevisions(records));
    });
  }
}

/** As `events` but for the chain. */
export const PLAIN_EVENTS = `create table history.plain_events (
  position bigint generated always as identity primary key, event_id uuid not null unique, agent_id uuid not null,
  occurred_at timestamptz not null, payload bytea not null)`;

function columnsOf(events) {
  let end = 0;
  return [
    events.map((event) => event.eventId),
    events.map((event) => event.agentId),
    events.map((event) => event.occurredAtMs),
    Buffer.concat(events.map(({ payload }) => payload)),
    events.map(({ payload }) => (end += payload.length)),
    events.map(({ payload }) => payload.length),
  ];
}
