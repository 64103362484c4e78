import type { Queryable } from '@agent-wallet/platform';
import { latestRevisions, sumSettled, type TransactionRecord } from '../domain/transaction-record.js';
import type { ReadFacts } from '../ports/event-store.js';
import { type HistoryTables, LIVE } from './history-tables.js';
import { updatePageAnchors, ANCHOR_EVERY, type AnchorTouched } from './page-anchors.js';
import { addSettled } from './settled-values.js';
import { timestamp } from './sql-values.js';

/** Brings what agents read up to date with events, each of which is new. The caller holds the lock as in `writeLatest`. */
export async function applyEvents(
  tx: Queryable,
  events: readonly ReadFacts[],
  tables: HistoryTables = LIVE,
): Promise<void> {
  const records = events.flatMap(({ record }) => record ?? []);
  const settled = events.flatMap((event) => event.settled ?? []);
  if (records.length > 0) await writeLatest(tx, latestRevisions(records), tables);
  if (settled.length > 0) await addSettled(tx, sumSettled(settled), tables);
}

/**
 * Brings records up to date, and the counts and page anchors of their lists with them. Each record is in one of two tables.
 * An id belongs to the agent that used it first, in either; the place of a record in time is the one it was first
 * given. The result does not depend on how records are batched. The caller holds the lock under which the log grows.
 */
export async function writeLatest(
  tx: Queryable,
  records: readonly TransactionRecord[],
  tables: HistoryTables = LIVE,
): Promise<void> {
  const dropped = records.filter(({ status }) => status === 'dropped');
  const shown = records.filter(({ status }) => status !== 'dropped');
  if (dropped.length > 0) await updatePageAnchors(tx, await dropRecords(tx, dropped, tables), tables);
  if (shown.length > 0) await updatePageAnchors(tx, await upsertRecords(tx, shown, tables), tables);
}

async function dropRecords(
  tx: Queryable,
  records: readonly TransactionRecord[],
  tables: HistoryTables,
): Promise<AnchorTouched[]> {
  const { rows } = await tx.query<AnchorTouched>({
    name: `drop-${tables.transactions}`,
    text: `with given as (
             select * from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::timestamptz[])
               as g (id, agent_id, revision, created_at)),
           gone as (
             delete from ${tables.transactions} t using given g
             where t.id = g.id and t.agent_id = g.agent_id and t.revision < g.revision
             returning t.agent_id, t.action, t.created_at, t.id),
           noted as (
             insert into ${tables.dropped} as d (id, agent_id, revision, created_at)
             select g.id, g.agent_id, g.revision, coalesce(t.created_at, g.created_at)
             from given g left join ${tables.transactions} t on t.id = g.id
             where t.id is null or (t.agent_id = g.agent_id and t.revision < g.revision)
             on conflict (id) do update set revision = excluded.revision
             where d.revision < excluded.revision and d.agent_id = excluded.agent_id),
           moved as (
             select agent_id, list as action, created_at, id, -1 as delta
             from gone cross join lateral (values (''), (action)) as lists (list)),
           ${countMoved(tables)}`,
    values: [
      records.map((record) => record.id),
      records.map((record) => record.agentId),
      records.map((record) => record.revision),
      records.map((record) => timestamp(record.createdAtMs)),
    ],
  });
  return rows;
}

async function upsertRecords(
  tx: Queryable,
  records: readonly TransactionRecord[],
  tables: HistoryTables,
): Promise<AnchorTouched[]> {
  const { rows } = await tx.query<AnchorTouched>({
    name: `upsert-${tables.transactions}`,
    text: upsertStatement(tables),
    values: [
      records.map((record) => record.id),
      records.map((record) => record.agentId),
      records.map((record) => record.revision),
      records.map((record) => record.action),
      records.map((record) => record.status),
      records.map((record) => record.shownStatus),
      records.map((record) => record.asset),
      records.map((record) => record.amount?.toString() ?? null),
      records.map((record) => record.decimals),
      records.map((record) => record.recipient),
      records.map((record) => record.signature),
      records.map((record) => Buffer.from(record.facts)),
      records.map((record) => record.escrow?.amount.toString() ?? null),
      records.map((record) => record.escrow?.returned.toString() ?? null),
      records.map((record) => record.searchText),
      records.map((record) => timestamp(record.createdAtMs)),
      records.map((record) => timestamp(record.updatedAtMs)),
    ],
  });
  return rows;
}

function upsertStatement(tables: HistoryTables): string {
  return `with given as materialized (
          select g.*, d.id is not null as returns, coalesce(d.created_at, g.given_at) as created_at
          from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
            $8::numeric[], $9::int[], $10::text[], $11::text[], $12::bytea[], $13::numeric[], $14::numeric[], $15::text[],
            $16::timestamptz[], $17::timestamptz[])
            as g (id, agent_id, revision, action, status, shown_status, asset, amount, decimals, recipient, signature,
              facts, escrowed, returned, search_text, given_at, updated_at)
          left join ${tables.dropped} d on d.id = g.id
          where d.id is null or (d.agent_id = g.agent_id and d.revision < g.revision)),
        returned as (
          delete from ${tables.dropped} d using given g where g.returns and d.id = g.id),
        kept as (
          insert into ${tables.transactions} as t (id, agent_id, revision, action, status, shown_status, asset, amount,
            decimals, recipient, signature, facts, escrowed, returned, search_text, created_at, updated_at)
          select id, agent_id, revision, action, status, shown_status, asset, amount, decimals, recipient, signature,
            facts, escrowed, returned, search_text, created_at, updated_at
          from given
          on conflict (id) do update set revision = excluded.revision, action = excluded.action,
            status = excluded.status, shown_status = excluded.shown_status, asset = excluded.asset, amount = excluded.amount,
            decimals = excluded.decimals, recipient = excluded.recipient, signature = excluded.signature,
            facts = excluded.facts, escrowed = excluded.escrowed, returned = excluded.returned, search_text = excluded.search_text, updated_at = excluded.updated_at
          where t.revision < excluded.revision and t.agent_id = excluded.agent_id
          returning new.agent_id, new.created_at, new.id, new.action as action_after, old.action as action_before),
        moved as (
          select agent_id, list as action, created_at, id, delta
          from kept cross join lateral (
            values (case when action_before is null then '' end, 1), (action_after, 1), (action_before, -1)
          ) as lists (list, delta)
          where list is not null and action_before is distinct from action_after),
        ${countMoved(tables)}`;
}

/**
 * Counts the records that `moved` into and out of lists. Answers the lists whose pageAnchors are touched: the list has become
 * long enough for one more, or too short for any, and each record that is older than the newest mark. Lists shorter than
 * the distance of page anchors have none, so that most batches cost nothing here.
 */
function countMoved({ counts, pageAnchors }: HistoryTables): string {
  return `counted as (
            insert into ${counts} as c (agent_id, action, total)
            select agent_id, action, sum(delta) from moved group by agent_id, action
            on conflict (agent_id, action) do update set total = c.total + excluded.total
            returning new.agent_id, new.action, new.total, coalesce(old.total, 0) as total_before),
          lists as materialized (
            select c.agent_id, c.action, c.total, newest.created_at, newest.id, newest.before
            from counted c left join lateral (
              select k.created_at, k.id, k.before from ${pageAnchors} k
              where k.agent_id = c.agent_id and k.action = c.action order by k.created_at desc, k.id desc limit 1
            ) newest on true
            where greatest(c.total, c.total_before) >= ${ANCHOR_EVERY})
          select agent_id as "agentId", action, null as "createdAt", null::uuid as id, 0 as delta, total < ${ANCHOR_EVERY} as "isShort"
          from lists where total < ${ANCHOR_EVERY} or total - coalesce(before, 0) >= ${2 * ANCHOR_EVERY}
          union all
          select m.agent_id, m.action, m.created_at::text, m.id, m.delta, l.total < ${ANCHOR_EVERY}
          from moved m join lists l using (agent_id, action)
          where (l.created_at, l.id) > (m.created_at, m.id)`;
}
