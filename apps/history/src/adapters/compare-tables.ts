import type { Queryable } from '@agent-wallet/platform';
import type { Difference } from '../ports/rebuild-store.js';
import { checkLists } from './check-lists.js';
import { LIVE, REBUILT } from './history-tables.js';

/** As many are reported of each table; more of the same do not help. */
const TOLD_COUNT = 20;

/** Lists the rows in which the live tables differ from the rebuilt ones, and the lists whose counts are wrong. */
export async function compareTables(tx: Queryable): Promise<Difference[]> {
  const lists = (await checkLists(tx, LIVE, TOLD_COUNT)).map(({ agentId, action, problem }) => ({
    table: LIVE.counts,
    row: `${agentId} ${action || 'all'}`,
    problem,
  }));
  const rows: Difference[] = [];
  for (const table of ['transactions', 'dropped', 'settled'] as const) rows.push(...(await compareRows(tx, table)));
  return [...rows, ...lists];
}

async function compareRows(tx: Queryable, table: 'transactions' | 'dropped' | 'settled'): Promise<Difference[]> {
  const { rows } = await tx.query<Difference>(
    `select $1::text as table, id::text as row,
       case when l.id is null then 'is missing' when r.id is null then 'is not in the log' else 'is not as in the log' end
         as problem
     from ${LIVE[table]} l full join ${REBUILT[table]} r using (id)
     where row(l.*) is distinct from row(r.*) order by id limit $2`,
    [LIVE[table], TOLD_COUNT],
  );
  return rows;
}
