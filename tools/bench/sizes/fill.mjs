// Tables as they are after months of traffic, written past triggers and signatures.

const CHUNK = 1_000_000;
const AGENTS = 100_000;
const MARKETS = 1_000;

export const TOKENS = [
  { id: uuid('9000', 1), operations: 10 },
  { id: uuid('9000', 2), operations: 100_000 },
];

/** Makes the nth UUID of a group in SQL; increasing, as the services' own ids are. */
const id = (group, n) => `('01900000-0000-7000-${group}-' || lpad(to_hex(${n}), 12, '0'))::uuid`;

function uuid(group, n) {
  return `01900000-0000-7000-${group}-${n.toString(16).padStart(12, '0')}`;
}

const RESERVATIONS = `
  insert into policy.reservations (operation_id, step, attempt, agent_id, intent, message_hash, value_usd_micros, state,
    created_at, settled_at, next_check_at)
  select ${id('8000', 'n')}, 1, 1, ${id('a000', `n % ${AGENTS}`)}, '', '', 1, 'settled', t.at, t.at, 'infinity'
  from generate_series($1::bigint, $2::bigint - 1) n, lateral (select now() - n * interval '1 second' as at) t`;

/** Accounts of closed positions, which were kept once. */
const ACCOUNTS = `
  insert into prediction.accounts (kind, agent_id, operation_id, ticker, side, balance, entry_id)
  select 'position', ${id('a000', 'n')}, '00000000-0000-0000-0000-000000000000', 'MARKET-' || n % ${MARKETS}, 'yes', 0, n
  from generate_series($1::bigint, $2::bigint - 1) n`;

const HANDLES = `
  insert into gateway.prepared_requests (id, agent_id, tool, arguments, expires_at, executed_at)
  select ${id('8000', 'n')}, ${id('a000', `n % ${AGENTS}`)}, 'prepare_transfer', '{}',
    now() - interval '10 days', now() - interval '10 days'
  from generate_series($1::bigint, $2::bigint - 1) n`;

const TOKEN = `
  insert into policy.tokens (id, agent_id, name, scopes, daily_usd_micros, total_usd_micros, created_at, expires_at,
    settled_usd_micros, settled_since, used_usd_micros)
  select $1, ${id('a000', '0')}, 'A bot', '{transfer}', 1e12, 1e12, now(), now() + interval '1 year', $2::int / 40,
    policy.window_start(policy.now()), $2::int`;

/** Spread over 40 days. */
const OPERATIONS_OF_TOKEN = `
  insert into policy.reservations (operation_id, step, attempt, agent_id, intent, message_hash, value_usd_micros, state,
    created_at, settled_at, next_check_at, token_id)
  select gen_random_uuid(), 1, 1, ${id('a000', '0')}, '', '', 1, 'settled', t.at, t.at, 'infinity', $1
  from generate_series(1, $2::int) n, lateral (select now() - n * interval '40 days' / $2::int as at) t`;

const RECOVERY = `
  insert into policy.recoveries (reason, started_at, since_slot, since, read_at_slot, wallets_reported)
  values ('a measurement', now(), 1, now(), 1, true)`;

const OUTSTANDING = `
  insert into prediction.accounts (kind, agent_id, operation_id, ticker, side, balance, entry_id)
  select 'outstanding', '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000',
    'MARKET-' || n, 'yes', -5, n from generate_series(1, ${MARKETS}) n`;

/** Fills each table with as many rows. @param sql runs a statement as the superuser on one connection */
export async function fillTables(sql, rows, tell) {
  await sql("set statement_timeout = 0; set session_replication_role = replica; set maintenance_work_mem = '512MB'");
  for (const [name, text] of Object.entries({ reservations: RESERVATIONS, accounts: ACCOUNTS, handles: HANDLES })) {
    for (let from = 0; from < rows; from += CHUNK) await sql(text, [from, Math.min(from + CHUNK, rows)]);
    tell(`  ${rows} ${name}`);
  }
  for (const { id: tokenId, operations } of TOKENS) {
    await sql(TOKEN, [tokenId, operations]);
    await sql(OPERATIONS_OF_TOKEN, [tokenId, operations]);
  }
  await sql(RECOVERY);
  await sql(OUTSTANDING);
  await sql('set session_replication_role = origin');
  await sql('vacuum (analyze, freeze)');
}
