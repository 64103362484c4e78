// Policy's schema in a Postgres of its own, and bare tables beside it.
import { createServiceRoles, startEmbeddedPostgres } from '@agent-wallet/embedded';
import { createLogger, migrate, openDatabase } from '@agent-wallet/platform';
import { policyMigrations } from '@agent-wallet/policy';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { closing } from '../measure/closing.mjs';

/** As many as ask at once. */
export const CONNECTIONS = 32;

const BARE_TABLES = `
  create table bare_counter (id int primary key, n bigint not null) with (fillfactor = 50);
  insert into bare_counter values (1, 0);
  create table bare_rows (operation_id uuid primary key, step int, attempt int, agent_id uuid, intent bytea,
    message_hash bytea, value_usd_micros bigint, created_at timestamptz default clock_timestamp());`;

/**
 * Starts it. Commits do not wait for the disk, on either side of a ratio: a slow disk would hide what reservations
 * cost, and make the hot agent's batches look even better.
 */
export async function openPolicyDatabase() {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'bench-reservations-'));
  closing(directory, () => rm(directory, { recursive: true, force: true }));
  const server = await startEmbeddedPostgres({ dataDir: directory, durability: 'relaxed' });
  closing(server, () => server.stop());
  const { policy: connection } = await createServiceRoles(server, ['policy']);
  const logger = createLogger('bench', 'silent');
  const database = openDatabase({ connection, schema: 'policy', logger, maxConnections: CONNECTIONS });
  closing(database, () => database.close());
  await migrate(database, policyMigrations.directory);
  await database.pool.query(BARE_TABLES);
  return database;
}

/** Makes agents whose policy is a daily limit, for single transactions too. */
export async function addAgents(database, agentIds, dailyLimitUsdMicros) {
  await database.pool.query(
    `insert into policies
     select id, $2::bigint, $2::bigint, '{}', true, true, true, 168 from unnest($1::uuid[]) id`,
    [agentIds, dailyLimitUsdMicros],
  );
}

/** What an agent has reserved: by its running sum, and by its rows. */
export async function reservedBy(database, agentId) {
  const { rows } = await database.pool.query(
    `select p.reserved_usd_micros as sum, count(r.*) as count, coalesce(sum(r.value_usd_micros), 0) as of_rows
     from policies p left join reservations r on r.agent_id = p.agent_id and r.state = 'open'
     where p.agent_id = $1 group by p.agent_id`,
    [agentId],
  );
  return { sum: BigInt(rows[0].sum), ofRows: BigInt(rows[0].of_rows), count: Number(rows[0].count) };
}
