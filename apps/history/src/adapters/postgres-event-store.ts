import type { Database, Queryable } from '@agent-wallet/platform';
import { latestRevisions, type TransactionRecord } from '../domain/transaction-record.js';
import type { DeadEvent, EventStore, ReadableEvent } from '../ports/event-store.js';

/** Any number: the lock under which the log grows. */
const APPEND_LOCK = 7_214_004;

/** The tables `events`, `transactions`, `dropped_transactions` and `dead_events`, written in sets. */
export class PostgresEventStore implements EventStore {
  constructor(private readonly database: Database) {}

  async append(events: readonly ReadableEvent[], dead: readonly DeadEvent[]): Promise<void> {
    await this.database.transaction(async (tx) => {
      // Replicas take turns: positions become visible in their order, and nobody waits for anybody's rows in a circle.
      await tx.query({
        name: 'append-lock',
        text: 'select pg_advisory_xact_lock($1, hashtext($2))',
        values: [APPEND_LOCK, this.database.schema],
      });
      const isNew = await insertEvents(tx, events);
      const records = events.flatMap(({ eventId, record }) => (record && isNew.has(eventId) ? [record] : []));
      if (records.length > 0) await keepLatest(tx, latestRevisions(records));
      if (dead.length > 0) await insertDead(tx, dead);
    });
  }
}

/** The ids of those events that were not there yet. */
async function insertEvents(tx: Queryable, events: readonly ReadableEvent[]): Promise<Set<string>> {
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

/** Each record is in one of two tables. An id belongs to the agent that used it first, in either. */
async function keepLatest(tx: Queryable, records: readonly TransactionRecord[]): Promise<void> {
  const dropped = records.filter(({ status }) => status === 'dropped');
  const shown = records.filter(({ status }) => status !== 'dropped');
  if (dropped.length > 0) await dropRecords(tx, dropped);
  if (shown.length > 0) await upsertRecords(tx, shown);
}

async function dropRecords(tx: Queryable, records: readonly TransactionRecord[]): Promise<void> {
  await tx.query({
    name: 'records-drop',
    text: `with given as (select * from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as g (id, agent_id, revision)),
           gone as (
             delete from transactions t using given g
             where t.id = g.id and t.agent_id = g.agent_id and t.revision < g.revision)
           insert into dropped_transactions as d (id, agent_id, revision)
           select * from given g
           where not exists (
             select from transactions t where t.id = g.id and (t.agent_id <> g.agent_id or t.revision >= g.revision))
           on conflict (id) do update set revision = excluded.revision
           where d.revision < excluded.revision and d.agent_id = excluded.agent_id`,
    values: [
      records.map((record) => record.id),
      records.map((record) => record.agentId),
      records.map((record) => record.revision),
    ],
  });
}

/** `created_at` stays as it was first given, so that a record keeps its place. */
async function upsertRecords(tx: Queryable, records: readonly TransactionRecord[]): Promise<void> {
  await tx.query({
    name: 'records-upsert',
    text: `insert into transactions as t (id, agent_id, revision, action, status, asset, amount, decimals, recipient,
             signature, metadata, created_at)
           select * from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::numeric[],
             $8::int[], $9::text[], $10::text[], $11::text[], $12::timestamptz[]) as g (id, agent_id, revision)
           where not exists (
             select from dropped_transactions d
             where d.id = g.id and (d.agent_id <> g.agent_id or d.revision >= g.revision))
           on conflict (id) do update set revision = excluded.revision, action = excluded.action,
             status = excluded.status, asset = excluded.asset, amount = excluded.amount,
             decimals = excluded.decimals, recipient = excluded.recipient, signature = excluded.signature,
             metadata = excluded.metadata
           where t.revision < excluded.revision and t.agent_id = excluded.agent_id`,
    values: [
      records.map((record) => record.id),
      records.map((record) => record.agentId),
      records.map((record) => record.revision),
      records.map((record) => record.action),
      records.map((record) => record.status),
      records.map((record) => record.asset),
      records.map((record) => record.amount?.toString() ?? null),
      records.map((record) => record.decimals),
      records.map((record) => record.recipient),
      records.map((record) => record.signature),
      records.map((record) => record.metadataJson),
      records.map((record) => timestamp(record.createdAtMs)),
    ],
  });
}

async function insertDead(tx: Queryable, dead: readonly DeadEvent[]): Promise<void> {
  await tx.query(
    `insert into dead_events (event_id, agent_id, payload, error)
     select * from unnest($1::text[], $2::text[], $3::bytea[], $4::text[]) on conflict (event_id) do nothing`,
    [
      dead.map((event) => event.eventId),
      dead.map((event) => event.agentId),
      dead.map((event) => event.payload),
      dead.map((event) => event.error),
    ],
  );
}

function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}
