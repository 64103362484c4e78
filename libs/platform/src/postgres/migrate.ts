import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import type { Database } from './database.js';

/** Any number: the lock under which one process at a time migrates a schema. */
const MIGRATION_LOCK = 7_214_001;

// The table and the checksum are Prisma's own, so that `prisma migrate deploy` and `status` agree with this runner.
const MIGRATIONS_TABLE = `create table if not exists "_prisma_migrations" (
  id varchar(36) primary key, checksum varchar(64) not null, finished_at timestamptz, migration_name varchar(255) not null,
  logs text, rolled_back_at timestamptz, started_at timestamptz not null default now(), applied_steps_count integer not null default 0)`;

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/**
 * Brings a schema up to date: applies every `<directory>/<name>/migration.sql` that was not applied yet, in order of
 * name, each in a transaction, under a lock, so that replicas may start together.
 * @returns the names applied now
 * @throws Error when an applied migration was edited since
 */
export async function migrate(database: Database, directory: string): Promise<string[]> {
  const migrations = await readMigrations(directory);
  const client = await database.pool.connect();
  try {
    await client.query('select pg_advisory_lock($1, hashtext($2))', [MIGRATION_LOCK, database.schema]);
    try {
      await client.query(MIGRATIONS_TABLE);
      return await applyMissing(client, migrations);
    } finally {
      await client.query('select pg_advisory_unlock($1, hashtext($2))', [MIGRATION_LOCK, database.schema]);
    }
  } finally {
    client.release();
  }
}

/**
 * The migrations that were not applied yet, in order; whoever may read the schema may ask.
 * @throws Error when nothing was applied ever, or the database is away
 */
export async function missingMigrations(database: Database, directory: string): Promise<string[]> {
  const known = await appliedMigrations(database.pool);
  return (await readMigrations(directory)).filter(({ name }) => !known.has(name)).map(({ name }) => name);
}

async function applyMissing(client: pg.PoolClient, migrations: readonly Migration[]): Promise<string[]> {
  const checksums = await appliedMigrations(client);
  const applied: string[] = [];
  for (const migration of migrations) {
    const known = checksums.get(migration.name);
    if (known === migration.checksum) continue;
    if (known) throw new Error(`migration ${migration.name} was edited after it was applied`);
    await apply(client, migration);
    applied.push(migration.name);
  }
  return applied;
}

/** Name and checksum of each that was applied. */
async function appliedMigrations(on: Pick<pg.Pool, 'query'>): Promise<ReadonlyMap<string, string>> {
  const { rows } = await on.query<{ migration_name: string; checksum: string }>(
    'select migration_name, checksum from "_prisma_migrations" where finished_at is not null and rolled_back_at is null',
  );
  return new Map(rows.map((row) => [row.migration_name, row.checksum]));
}

async function apply(client: pg.PoolClient, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(migration.sql);
    await client.query(
      `insert into "_prisma_migrations" (id, checksum, migration_name, finished_at, applied_steps_count)
       values ($1, $2, $3, now(), 1)`,
      [randomUUID(), migration.checksum, migration.name],
    );
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new Error(`migration ${migration.name} failed`, { cause: error });
  }
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(path.join(directory, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}
