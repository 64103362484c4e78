// History's database with as many records as wanted, of which every page is known beforehand.
import { openDatabase, createLogger } from '@agent-wallet/platform';

const CHUNK = 500_000;
/** The records of every agent but one. */
const PER_AGENT = 1_000;
const SCHEMA = 'history';

/** The agent that has a tenth of all records: every tenth one. */
export const BUSY_AGENT = agentOf(0);
/** Every second record of an agent. */
export const FILTER = 'trade';

/** Record n is the nth oldest; the busy agent's are 0, 10, 20 … */
const FILL = `
  insert into transactions
  select ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
    ('01900000-0000-7000-9000-' || lpad(to_hex(case when n % 10 = 0 then 0 else 1 + n % $3 end), 12, '0'))::uuid,
    3, case (n / 10) % 2 when 0 then 'transfer' else 'trade' end, 'confirmed', 'confirmed', 'USDC', n, 6, repeat('r', 44),
    repeat('s', 88), '{"feeMode":"added"}', 'usdc', timestamptz '2026-01-01' + n * interval '10 ms',
    timestamptz '2026-01-01' + n * interval '10 ms'
  from generate_series($1::bigint, $2::bigint - 1) n`;

/** Writes the records straight into the table, and counts them as the migration does. */
export async function fillHistory({ connections, rows, tell }) {
  const logger = createLogger('bench', 'silent');
  const database = openDatabase({ connection: connections.history_owner, schema: SCHEMA, logger, maxConnections: 1 });
  const sql = async (text, values) => (await database.pool.query(text, values)).rows;
  try {
    await sql("set statement_timeout = 0; set maintenance_work_mem = '512MB'; set work_mem = '256MB'");
    const indexes = await sql(
      `select indexdef from pg_indexes where schemaname = $1 and tablename = 'transactions'
       and indexname <> 'transactions_pkey'`,
      [SCHEMA],
    );
    await sql(
      'drop index transactions_by_agent, transactions_by_agent_and_action, transactions_by_agent_and_recipient',
    );
    for (let from = 0; from < rows; from += CHUNK) {
      const to = Math.min(from + CHUNK, rows);
      await sql(FILL, [from, to, Math.ceil(rows / PER_AGENT)]);
      if (rows > CHUNK) tell(`  ${to} of ${rows} records`);
    }
    for (const { indexdef } of indexes) await sql(indexdef);
    await sql('select count_transactions()');
    await sql('vacuum analyze');
  } finally {
    await database.close();
  }
}

/** How many records a list of the busy agent has. */
export const totalOf = (rows, action) => Math.ceil(rows / 10 / (action ? 2 : 1));

/** The ids of a page of a list of the busy agent. */
export function pageOf({ rows, action, limit, offset }) {
  const total = totalOf(rows, action);
  const count = Math.max(0, Math.min(limit, total - offset));
  const nth = (rank) => (action ? 10 * (2 * rank + 1) : 10 * rank);
  return Array.from({ length: count }, (_, i) => idOf(nth(total - 1 - offset - i)));
}

function idOf(n) {
  return `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
}

function agentOf(n) {
  return `01900000-0000-7000-9000-${n.toString(16).padStart(12, '0')}`;
}
