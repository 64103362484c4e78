import { NIL_UUID } from '@agent-wallet/kernel';
import type { Queryable } from '@agent-wallet/platform';
import type { HistoryTables } from './history-tables.js';

/** Marks of a list are this many records apart, or more, but never twice as many. Shorter lists have none. */
export const ANCHOR_EVERY = 250;

/** A list whose page anchors are not right any more, and a record that makes them so, if it is one that came or left. */
export interface AnchorTouched {
  readonly agentId: string;
  /** Empty for the list of all actions. */
  readonly action: string;
  /** As Postgres writes it; null where it is the number of records that matters, and none is older than a mark. */
  readonly createdAt: string | null;
  readonly id: string | null;
  /** 1 or -1; 0 where no record is meant. */
  readonly delta: number;
  /** Whether the list is too short for page anchors. */
  readonly isShort: boolean;
}

/** Makes the page anchors right again after records moved and were counted. */
export async function updatePageAnchors(
  tx: Queryable,
  touched: readonly AnchorTouched[],
  tables: HistoryTables,
): Promise<void> {
  const moved = touched.filter(({ delta }) => delta !== 0);
  if (moved.length > 0) await tx.query(shiftAnchors(tables), [...columnsOf(moved), moved.map(({ delta }) => delta)]);
  const short = touched.filter(({ isShort }) => isShort);
  if (short.length > 0) await tx.query(removeAnchors(tables), columnsOf(short).slice(0, 2));
  const long = touched.filter(({ isShort }) => !isShort);
  if (long.length > 0) await tx.query(addAnchors(tables), columnsOf(long));
}

function columnsOf(touched: readonly AnchorTouched[]) {
  return [
    touched.map(({ agentId }) => agentId),
    touched.map(({ action }) => action),
    touched.map(({ createdAt }) => createdAt ?? 'infinity'),
    touched.map(({ id }) => id ?? LAST_ID),
  ];
}

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * Moves each page anchor by the records that came before it: a running sum along the list, for any number of records
 * and page anchors.
 */
function shiftAnchors({ pageAnchors }: HistoryTables): string {
  return `with moved as (
       select * from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::uuid[], $5::int[])
         as m (agent_id, action, created_at, id, delta)),
     oldest as (
       select distinct on (agent_id, action) * from moved order by agent_id, action, created_at, id),
     -- "offset 0" keeps this a look-up for each list: no statistics make it a scan of all page anchors
     newer as (
       select k.* from oldest o cross join lateral (
         select ctid as place, agent_id, action, created_at, id from ${pageAnchors}
         where agent_id = o.agent_id and action = o.action and (created_at, id) > (o.created_at, o.id) offset 0) k),
     summed as (
       select place, sum(delta) over (
         partition by agent_id, action order by created_at, id, delta <> 0 rows unbounded preceding) as delta
       from (
         select null::tid as place, agent_id, action, created_at, id, delta from moved
         union all select place, agent_id, action, created_at, id, 0 from newer) t)
     update ${pageAnchors} m set before = m.before + s.delta from summed s where m.ctid = s.place and s.delta <> 0`;
}

/** Removes the anchors of lists that are too short for any. */
function removeAnchors({ pageAnchors }: HistoryTables): string {
  return `delete from ${pageAnchors} m using (select distinct * from unnest($1::uuid[], $2::text[]) as g (agent_id, action)) g
          where m.agent_id = g.agent_id and m.action = g.action`;
}

/**
 * Adds anchors where two neighbours are too far apart; the ends of the list are neighbours, too. Starts at the mark
 * before the oldest new record: the gaps before that have not changed.
 */
function addAnchors({ transactions, counts, pageAnchors }: HistoryTables): string {
  const within = `t.agent_id = g.agent_id and (t.created_at, t.id) >= (g.from_at, g.from_id)
                  and (t.created_at, t.id) < (g.to_at, g.to_id)`;
  return `with oldest as (
            select distinct on (agent_id, action) *
            from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::uuid[]) as g (agent_id, action, created_at, id)
            order by agent_id, action, created_at, id),
          begins as (
            select o.agent_id, o.action, coalesce(k.created_at, '-infinity') as created_at,
              coalesce(k.id, '${NIL_UUID}') as id, coalesce(k.before, 0) as before
            from oldest o left join lateral (
              select created_at, id, before from ${pageAnchors} m
              where m.agent_id = o.agent_id and m.action = o.action and (m.created_at, m.id) <= (o.created_at, o.id)
              order by m.created_at desc, m.id desc limit 1) k on true),
          places as (
            select * from begins
            union all
            select b.agent_id, b.action, k.* from begins b cross join lateral (
              select created_at, id, before from ${pageAnchors} m
              where m.agent_id = b.agent_id and m.action = b.action and (m.created_at, m.id) > (b.created_at, b.id)
              offset 0) k
            union all
            select agent_id, action, 'infinity', '${LAST_ID}', total from begins b join ${counts} using (agent_id, action)),
          gaps as (
            select agent_id, action, created_at as to_at, id as to_id, before as to_rank, lag(created_at) over list as from_at,
              lag(id) over list as from_id, lag(before) over list as from_rank
            from places window list as (partition by agent_id, action order by created_at, id))
          insert into ${pageAnchors} (agent_id, action, created_at, id, before)
          select g.agent_id, g.action, r.created_at, r.id, g.from_rank + r.n
          from gaps g cross join lateral (
            select created_at, id, row_number() over (order by created_at, id) - 1 as n from (
              select created_at, id from ${transactions} t where g.action = '' and ${within}
              union all
              select created_at, id from ${transactions} t where g.action <> '' and t.action = g.action and ${within}
            ) rows) r
          where g.to_rank - g.from_rank >= ${2 * ANCHOR_EVERY}
            and r.n > 0 and r.n % ${ANCHOR_EVERY} = 0 and g.to_rank - g.from_rank - r.n >= ${ANCHOR_EVERY}`;
}
