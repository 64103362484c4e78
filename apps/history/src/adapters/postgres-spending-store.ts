import { type Database, databaseError } from '@agent-wallet/platform';
import type { SpendingGroup, SpendingKey, SpendingQuery, SpendingStore } from '../ports/spending-store.js';
import { LIVE } from './history-tables.js';
import { selectValue } from './settled-values.js';
import { timestamp } from './sql-values.js';

const SPENDING_ACTIONS = ['transfer', 'trade', 'prediction_buy', 'liquidity_add'];

const KEYS: Readonly<Record<SpendingKey, string>> = {
  day: `to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD')`,
  action: 't.action',
  recipient: 't.recipient',
  token: 't.asset',
};

interface SumRow {
  readonly key: string | null;
  readonly usd_micros: string;
  readonly count: string;
  readonly unknown: string;
}

/** The tables `transactions` and `settled_values`. */
export class PostgresSpendingStore implements SpendingStore {
  constructor(private readonly database: Database) {}

  async sum({ agentId, fromMs, toMs, by, maxGroups }: SpendingQuery): Promise<SpendingGroup[]> {
    const values = [agentId, SPENDING_ACTIONS, timestamp(fromMs), timestamp(toMs), maxGroups];
    try {
      const { rows } = await this.database.pool.query<SumRow>({
        name: `spending-by-${by}`,
        text: STATEMENTS[by],
        values,
      });
      return rows.map(toGroup);
    } catch (error) {
      throw databaseError(error);
    }
  }
}

function toGroup({ key, usd_micros, count, unknown }: SumRow): SpendingGroup {
  return {
    key: key ?? undefined,
    usdMicros: BigInt(usd_micros),
    count: Number(count),
    unknownCount: Number(unknown),
  };
}

/** Reads the records of the range alone, by the index of an agent's actions in time. */
function sumStatement(key: string): string {
  return `with spent as materialized (
            select ${key} as key, ${selectValue('t')} as usd_micros from ${LIVE.transactions} t
            where t.agent_id = $1 and t.action = any($2) and t.created_at >= $3 and t.created_at < $4
              and t.shown_status = 'confirmed'),
          groups as (
            select key, coalesce(sum(usd_micros), 0) as usd_micros, count(*) as count, count(*) - count(usd_micros) as unknown,
              row_number() over (order by coalesce(sum(usd_micros), 0) desc, count(*) desc, key) as place
            from spent group by key)
          select min(key) filter (where place <= $5) as key, sum(usd_micros) as usd_micros, sum(count) as count,
            sum(unknown) as unknown
          from groups group by least(place, $5 + 1) order by least(place, $5 + 1)`;
}

const STATEMENTS: Readonly<Record<SpendingKey, string>> = {
  day: sumStatement(KEYS.day),
  action: sumStatement(KEYS.action),
  recipient: sumStatement(KEYS.recipient),
  token: sumStatement(KEYS.token),
};
