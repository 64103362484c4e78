import type { Queryable } from '@agent-wallet/platform';
import { type HistoryTables, LIVE } from './history-tables.js';
import { ANCHOR_EVERY } from './page-anchors.js';

/** Problem with the count or the page anchors of one list. */
interface ListProblem {
  readonly agentId: string;
  /** Empty for the list of all actions. */
  readonly action: string;
  readonly problem: string;
}

/**
 * Counts every record again, and compares: the totals, the rank of every page anchor, and how far page anchors are apart. Reads
 * everything; the caller sees to it that it is of one snapshot.
 */
export async function checkLists(tx: Queryable, tables: HistoryTables = LIVE, limit = 20): Promise<ListProblem[]> {
  const { rows } = await tx.query<ListProblem>(
    `with members as (
       select agent_id, '' as action, created_at, id from ${tables.transactions}
       union all select agent_id, action, created_at, id from ${tables.transactions}),
     totals as (select agent_id, action, count(*) as total from members group by agent_id, action),
     ranked as (
       select agent_id, action, created_at, id, before, sum(member) over (
         partition by agent_id, action order by created_at, id, member rows unbounded preceding) as rank
       from (
         select agent_id, action, created_at, id, 1 as member, null::bigint as before from members
         union all select agent_id, action, created_at, id, 0, before from ${tables.pageAnchors}) t),
     edges as (
       select agent_id, action, created_at, id, before from ${tables.pageAnchors}
       union all
       select agent_id, action, 'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff', total from ${tables.counts}),
     gaps as (
       select agent_id, action, before - lag(before, 1, 0::bigint) over (
         partition by agent_id, action order by created_at, id) as size
       from edges),
     problems as (
       select agent_id, action, format('counted %s, has %s', c.total, t.total) as problem
       from ${tables.counts} c full join totals t using (agent_id, action)
       where coalesce(c.total, 0) <> coalesce(t.total, 0)
       union all
       select agent_id, action, format('page anchor at %s says %s, has %s', created_at, before, rank) from ranked
       where before is not null and before <> rank
       union all
       select agent_id, action, format('%s records without a page anchor', size) from gaps where size >= ${2 * ANCHOR_EVERY}
       union all
       select agent_id, action, 'page anchors of a short list' from ${tables.pageAnchors}
       left join totals using (agent_id, action) where coalesce(total, 0) < ${ANCHOR_EVERY} group by agent_id, action)
     select agent_id as "agentId", action, problem from problems order by agent_id, action, problem limit $1`,
    [limit],
  );
  return rows;
}
