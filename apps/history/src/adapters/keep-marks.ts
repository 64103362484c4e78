import type { Queryable } from '@agent-wallet/platform';
import type { HistoryTables } from './history-tables.js';

/** Marks of a list are this many records apart, or more, but never twice as many. Shorter lists have none. */
export const MARK_EVERY = 250;

/** A record that came into a list or left it. */
export interface MovedRecord {
  readonly agentId: string;
  /** Empty for the list of all actions. */
  readonly action: string;
  /** As Postgres writes it. */
  readonly createdAt: string;
  readonly id: string;
  /** 1 or -1. */
  readonly delta: number;
}

/** Makes the marks right again after records moved and were counted. */
export async function keepMarks(tx: Queryable, moved: readonly MovedRecord[], tables: HistoryTables): Promise<void> {
  if (moved.length === 0) return;
  await shiftMarks(tx, moved, tables);
  const lists = new Map(moved.map(({ agentId, action }) => [`${agentId} ${action}`, { agentId, action }]));
  const columns = [[...lists.values()].map(({ agentId }) => agentId), [...lists.values()].map(({ action }) => action)];
  await tx.query(removeMarks(tables), columns);
  await tx.query(addMarks(tables), columns);
}

/** Each mark moves by what came before it: a running sum along the list, however many records and marks there are. */
async function shiftMarks(tx: Queryable, moved: readonly MovedRecord[], { marks }: HistoryTables): Promise<void> {
  await tx.query(
    `with moved as (
       select * from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::uuid[], $5::int[])
         as m (agent_id, action, created_at, id, delta)),
     oldest as (
       select distinct on (agent_id, action) * from moved order by agent_id, action, created_at, id),
     -- "offset 0" keeps this a look-up for each list: no statistics make it a scan of all marks
     newer as (
       select k.* from oldest o cross join lateral (
         select ctid as place, agent_id, action, created_at, id from ${marks}
         where agent_id = o.agent_id and action = o.action and (created_at, id) > (o.created_at, o.id) offset 0) k),
     summed as (
       select place, sum(delta) over (
         partition by agent_id, action order by created_at, id, delta <> 0 rows unbounded preceding) as delta
       from (
         select null::tid as place, agent_id, action, created_at, id, delta from moved
         union all select place, agent_id, action, created_at, id, 0 from newer) t)
     update ${marks} m set before = m.before + s.delta from summed s where m.ctid = s.place and s.delta <> 0`,
    [
      moved.map(({ agentId }) => agentId),
      moved.map(({ action }) => action),
      moved.map(({ createdAt }) => createdAt),
      moved.map(({ id }) => id),
      moved.map(({ delta }) => delta),
    ],
  );
}

/** Of lists that are too short for any. */
function removeMarks({ counts, marks }: HistoryTables): string {
  return `delete from ${marks} m
          using unnest($1::uuid[], $2::text[]) as g (agent_id, action), ${counts} c
          where c.agent_id = g.agent_id and c.action = g.action and c.total < ${MARK_EVERY}
            and m.agent_id = g.agent_id and m.action = g.action`;
}

/** Where two neighbours are too far apart; the ends of the list are neighbours, too. */
function addMarks({ transactions, counts, marks }: HistoryTables): string {
  const within = `t.agent_id = g.agent_id and (t.created_at, t.id) >= (g.from_at, g.from_id)
                  and (t.created_at, t.id) < (g.to_at, g.to_id)`;
  return `with listed as (select * from unnest($1::uuid[], $2::text[]) as g (agent_id, action)),
          places as (
            select agent_id, action, created_at, id, before from listed join ${marks} using (agent_id, action)
            union all
            select agent_id, action, 'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff', total
            from listed join ${counts} using (agent_id, action)),
          gaps as (
            select agent_id, action, created_at as to_at, id as to_id, before as to_rank,
              lag(created_at, 1, '-infinity') over list as from_at,
              lag(id, 1, '00000000-0000-0000-0000-000000000000') over list as from_id,
              lag(before, 1, 0::bigint) over list as from_rank
            from places window list as (partition by agent_id, action order by created_at, id))
          insert into ${marks} (agent_id, action, created_at, id, before)
          select g.agent_id, g.action, r.created_at, r.id, g.from_rank + r.n
          from gaps g cross join lateral (
            select created_at, id, row_number() over (order by created_at, id) - 1 as n from (
              select created_at, id from ${transactions} t where g.action = '' and ${within}
              union all
              select created_at, id from ${transactions} t where g.action <> '' and t.action = g.action and ${within}
            ) rows) r
          where g.to_rank - g.from_rank >= ${2 * MARK_EVERY}
            and r.n > 0 and r.n % ${MARK_EVERY} = 0 and g.to_rank - g.from_rank - r.n >= ${MARK_EVERY}`;
}
