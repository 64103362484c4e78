import type { Queryable } from '@agent-wallet/platform';
import type { TransactionRecord } from '../domain/transaction-record.js';
import { timestamp } from './timestamp.js';

/** Each record is in one of two tables. An id belongs to the agent that used it first, in either. */
export async function keepLatest(tx: Queryable, records: readonly TransactionRecord[]): Promise<void> {
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
