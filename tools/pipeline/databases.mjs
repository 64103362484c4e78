// A Postgres of a run's own, and in it a database for each round.
import { createRolesIn, startEmbeddedPostgres } from '@agent-wallet/embedded';
import { EVENT_LOG_MIGRATIONS, grantConsume, grantPublish, OUTBOX_DIRECTORY } from '@agent-wallet/events';
import { historyMigrations } from '@agent-wallet/history';
import { createLogger, migrate, openDatabase } from '@agent-wallet/platform';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { closing } from '../measuring/closing.mjs';

const SERVICES = ['wallet', 'history', 'events'];
const LONG_MS = 600_000;

const logger = createLogger('bench', 'silent');

/**
 * Starts it. Commits do not wait for the disk, on either side of a ratio. Files in its directory can be read by its
 * account.
 */
export async function openServer() {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'bench-events-'));
  await chmod(directory, 0o755);
  closing(directory, () => rm(directory, { recursive: true, force: true }));
  const server = await startEmbeddedPostgres({ dataDir: path.join(directory, 'postgres'), durability: 'relaxed' });
  closing(server, () => server.stop());
  return { server, directory, rounds: 0 };
}

/**
 * An empty database with an outbox of `wallet`, history's schema and the event log. `connections` are those of services;
 * `sql` runs as the superuser.
 */
export async function openRound(ground) {
  const { server, directory } = ground;
  ground.rounds += 1;
  const database = `round_${ground.rounds}`;
  await asAdmin(server, (sql) => sql(`create database ${database}`));
  const admin = { ...server, database };
  const connections = await createRolesIn(admin, {
    services: SERVICES,
    ownedApart: ['history'],
    prefix: `${database}_`,
    passwordsDir: directory,
  });
  await migrateAs(connections.history_owner, historyMigrations);
  await migrateAs(connections.events, EVENT_LOG_MIGRATIONS, [
    grantPublish(connections.wallet.user),
    grantConsume(connections.history.user),
  ]);
  await migrateAs(connections.wallet, { schema: 'wallet', directory: OUTBOX_DIRECTORY });
  const opened = openDatabase({ connection: admin, schema: 'public', logger, maxConnections: 2 });
  const sql = async (text) => {
    const client = await opened.pool.connect();
    try {
      await client.query(`set statement_timeout = ${LONG_MS}`);
      return (await client.query(text)).rows;
    } finally {
      client.release();
    }
  };
  const close = async () => {
    await opened.close();
    await asAdmin(server, (run) => run(`drop database ${database} with (force)`));
  };
  return { connections, sql, close };
}

async function migrateAs(connection, { schema, directory }, more = []) {
  const database = openDatabase({ connection, schema, logger, maxConnections: 1 });
  try {
    await migrate(database, directory);
    for (const text of more) await database.pool.query(text);
  } finally {
    await database.close();
  }
}

async function asAdmin(connection, work) {
  const database = openDatabase({ connection, schema: 'public', logger, maxConnections: 1 });
  try {
    await work((text) => database.pool.query(text));
  } finally {
    await database.close();
  }
}
