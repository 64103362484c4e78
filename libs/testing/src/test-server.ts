import { createHash } from 'node:crypto';
import { existsSync, lstatSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataDirectoryInUse, type EmbeddedPostgres, startEmbeddedPostgres } from '@agent-wallet/embedded';
import pg from 'pg';
import { scratchDirectory } from './scratch-directory.js';

/** Name of the session that keeps the server alive for one test database. */
const LEASE = 'test database lease';

/** Prefix of every test database's name. */
export const TEST_DATABASE_PREFIX = 'test_';

const QUEUE_TIMEOUT_MS = 60_000;
const QUEUE_POLL_MS = 15;
const LEAVING_MS = 300;

/**
 * One Postgres serves every Jest worker of every run in this checkout. It is started by the first process that needs it and
 * stopped by the run that ends last. The data directory's owner file is the queue: one process at a time looks
 * whether it runs, takes a lease (a session of its own) or finds that none is held.
 */
const CHECKOUT = path.join(import.meta.dirname, '..', '..', '..');
const CHECKOUT_MARK = createHash('sha256').update(CHECKOUT).digest('hex').slice(0, 8);
const DATA_DIR = path.join(scratchDirectory(), `agent-wallet-tests-${process.getuid?.()}-${CHECKOUT_MARK}`);

/** Opens a session of the superuser on the running test server; the server stays up until it ends. */
export async function leaseTestServer(): Promise<{ server: EmbeddedPostgres; lease: pg.Client }> {
  const server = await startInTurn();
  try {
    return { server, lease: await connect(server, LEASE) };
  } finally {
    server.detach();
  }
}

/** Stops the test server unless a run still uses it, and drops what killed tests left. */
export async function stopTestServer(): Promise<void> {
  if (!existsSync(path.join(DATA_DIR, 'cluster', 'postmaster.pid'))) return;
  const server = await startInTurn();
  try {
    const janitor = await connect(server, 'test server janitor');
    const isFree = (await countLeases(janitor)) === 0;
    if (isFree) await dropTestDatabases(janitor, TEST_DATABASE_PREFIX);
    await janitor.end();
    if (isFree) await server.stop();
  } finally {
    server.detach();
  }
}

/** Sessions of other runs. Those of a process that just ended may take a moment to go. */
async function countLeases(janitor: pg.Client): Promise<number> {
  const sql = 'SELECT FROM pg_stat_activity WHERE application_name = $1';
  const seen = (await janitor.query(sql, [LEASE])).rowCount;
  if (seen === 0) return 0;
  await sleep(LEAVING_MS);
  return (await janitor.query(sql, [LEASE])).rowCount ?? 0;
}

/** Drops what belongs to test databases whose name begins with the prefix: the databases, then their roles. */
export async function dropTestDatabases(admin: pg.Client, prefix: string): Promise<void> {
  const databases = 'SELECT datname AS name FROM pg_database WHERE datname ^@ $1';
  for (const { name } of (await admin.query<{ name: string }>(databases, [prefix])).rows) {
    await admin.query(`DROP DATABASE ${pg.escapeIdentifier(name)} WITH (FORCE)`);
  }
  // A role that has made others goes after them.
  const roles = 'SELECT rolname AS name FROM pg_roles WHERE rolname ^@ $1 ORDER BY oid DESC';
  for (const { name } of (await admin.query<{ name: string }>(roles, [prefix])).rows) {
    await admin.query(`DROP ROLE ${pg.escapeIdentifier(name)}`);
  }
}

async function connect(server: EmbeddedPostgres, applicationName: string): Promise<pg.Client> {
  const { host, port, user, password, database } = server;
  const options = { host, port, user, password: password.reveal(), database };
  const client = new pg.Client({ ...options, application_name: applicationName });
  await client.connect();
  return client;
}

async function startInTurn(): Promise<EmbeddedPostgres> {
  refuseForeignDirectory();
  const deadline = performance.now() + QUEUE_TIMEOUT_MS;
  let mayStartOver = true;
  for (;;) {
    try {
      return await startEmbeddedPostgres({ dataDir: DATA_DIR, durability: 'relaxed' });
    } catch (error) {
      if (error instanceof DataDirectoryInUse) {
        if (performance.now() > deadline) throw error;
        await sleep(QUEUE_POLL_MS);
      } else if (mayStartOver) {
        // Files that are never synced do not survive a crash of the machine, and nothing in them is worth keeping.
        mayStartOver = false;
        rmSync(DATA_DIR, { recursive: true, force: true });
      } else {
        throw error;
      }
    }
  }
}

/**
 * Rejects a directory of another user. Its name can be guessed, so on a shared machine another user may have created
 * it.
 */
function refuseForeignDirectory(): void {
  const found = lstatSync(DATA_DIR, { throwIfNoEntry: false });
  if (found && (found.uid !== process.getuid?.() || !found.isDirectory())) {
    throw new Error(`${DATA_DIR} belongs to another user: remove it, or set TMPDIR to a directory of your own.`);
  }
}
