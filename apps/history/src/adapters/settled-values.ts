import type { Queryable } from '@agent-wallet/platform';
import type { SettledValue } from '../domain/transaction-record.js';
import { arrayOf } from './sql-values.js';
import { type HistoryTables, LIVE } from './history-tables.js';

/**
 * Adds values to what is settled of their operations, one value for each operation at most. An ID belongs to the agent
 * that used it first. The caller holds the lock under which the log grows, and adds each event once.
 */
export async function addSettled(
  tx: Queryable,
  values: readonly SettledValue[],
  { settled }: HistoryTables,
): Promise<void> {
  await tx.query({
    name: `add-${settled}`,
    text: `insert into ${settled} as s (id, agent_id, usd_micros)
           select * from unnest($1::uuid[], $2::uuid[], $3::numeric[])
           on conflict (id) do update set usd_micros = s.usd_micros + excluded.usd_micros
           where s.agent_id = excluded.agent_id`,
    values: [
      arrayOf(values, ({ id }) => id),
      arrayOf(values, ({ agentId }) => agentId),
      arrayOf(values, ({ usdMicros }) => usdMicros.toString()),
    ],
  });
}

/**
 * Selects what policy counted for the record `row`, in micro-dollars; null unless it is confirmed and settled. Policy
 * publishes an escrow as it was reserved, and counts less of it once a part is back: as policy's `value_left` does.
 */
export function selectValue(row: string): string {
  return `(select case when ${row}.escrowed > 0
             then div(s.usd_micros * greatest(${row}.escrowed - ${row}.returned, 0) + ${row}.escrowed - 1, ${row}.escrowed)
             else s.usd_micros end
           from ${LIVE.settled} s
           where ${row}.shown_status = 'confirmed' and s.id = ${row}.id and s.agent_id = ${row}.agent_id)`;
}
