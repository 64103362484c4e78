import type pg from 'pg';
import type { Database } from './database.js';
import { readSchemaFiles, type SchemaDirectory, type SchemaFiles, type SqlFile } from './schema-files.js';
import { compareFunctions, FUNCTIONS_TABLE, replaceFunctions } from './schema-functions.js';

/** Any number: the lock under which one process at a time migrates a schema. */
const MIGRATION_LOCK = 7_214_001;

const MIGRATIONS_TABLE = `create table if not exists schema_migrations (
  name text primary key, checksum text not null, applied_at timestamptz not null default now())`;

/** How the functions are called among what `migrate` applied. */
const FUNCTIONS = 'functions';

/** How a schema is brought up to date. */
export interface MigrateOptions {
  /** Replaces functions that were edited in the database, instead of refusing. */
  readonly overwriteFunctions?: boolean;
}

/**
 * Brings a schema up to date, under a lock, so that replicas may start together: applies every
 * `<directory>/migrations/<number>_<name>.sql` that was not applied yet, in order of name, each in a transaction; then, in
 * one more, makes the functions and triggers those of `<directory>/functions/*.sql` when a file has changed.
 * @returns the names applied now; `functions` for the functions
 * @throws Error when an applied migration was edited since, when a new one sorts before an applied one, and when the
 *   functions in the database are not those that were applied
 */
export async function migrate(
  database: Database,
  directory: SchemaDirectory,
  { overwriteFunctions = false }: MigrateOptions = {},
): Promise<string[]> {
  const { pool, schema } = database;
  const files = await readSchemaFiles(directory);
  const client = await pool.connect();
  try {
    await client.query('select pg_advisory_lock($1, hashtext($2))', [MIGRATION_LOCK, schema]);
    try {
      await client.query(`${MIGRATIONS_TABLE}; ${FUNCTIONS_TABLE}`);
      return await bringUpToDate(client, schema, files, overwriteFunctions);
    } finally {
      await client.query('select pg_advisory_unlock($1, hashtext($2))', [MIGRATION_LOCK, schema]);
    }
  } finally {
    client.release();
  }
}

/**
 * What `migrate` would apply: migrations in order, and `functions` when those in the database differ from the files. Any
 * role that may read the schema may ask.
 * @throws Error when nothing was ever applied, or the database is away
 */
export async function missingMigrations({ pool, schema }: Database, directory: SchemaDirectory): Promise<string[]> {
  const files = await readSchemaFiles(directory);
  const known = await appliedMigrations(pool);
  const missing = files.migrations.filter(({ name }) => !known.has(name)).map(({ name }) => name);
  const isCurrent = files.functions.length === 0 || (await compareFunctions(pool, schema, files)) === 'current';
  return isCurrent ? missing : [...missing, FUNCTIONS];
}

async function bringUpToDate(
  client: pg.PoolClient,
  schema: string,
  files: SchemaFiles,
  overwriteFunctions: boolean,
): Promise<string[]> {
  // Asked before a migration runs, for one may change what the catalogue says of functions.
  const before = await compareFunctions(client, schema, files);
  if (before === 'edited' && !overwriteFunctions) {
    throw new Error(
      `the functions of schema ${schema} were changed in the database since they were applied. ` +
        'Find out who changed them, then run this migration with --overwrite-functions',
    );
  }
  if (before !== 'absent' && files.functions.length === 0) {
    throw new Error(`schema ${schema} has functions, but this version has no file of functions for it`);
  }
  const applied = await applyMissing(client, files.migrations);
  const isCurrent = files.functions.length === 0 || (applied.length === 0 && before === 'current');
  if (isCurrent) return applied;
  await inTransaction(client, `the functions of schema ${schema}`, () => replaceFunctions(client, schema, files));
  return [...applied, FUNCTIONS];
}

async function applyMissing(client: pg.PoolClient, migrations: readonly SqlFile[]): Promise<string[]> {
  const checksums = await appliedMigrations(client);
  const newest = [...checksums.keys()].sort().at(-1) ?? '';
  const applied: string[] = [];
  for (const migration of migrations) {
    const { name, checksum } = migration;
    const known = checksums.get(name);
    if (known === checksum) continue;
    if (known) throw new Error(`migration ${name} was edited after it was applied`);
    // Databases that have the later one already would get the two in another order than new ones.
    if (name < newest)
      throw new Error(`migration ${name} sorts before ${newest}, which was applied; give it a later number`);
    await inTransaction(client, `migration ${name}`, async () => {
      await client.query(migration.sql);
      // They are applied again once all migrations are, also by the next run should this one die before.
      await client.query('delete from schema_functions');
      await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum]);
    });
    applied.push(name);
  }
  return applied;
}

async function inTransaction(client: pg.PoolClient, subject: string, work: () => Promise<void>): Promise<void> {
  await client.query('begin');
  try {
    await work();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new Error(`${subject} failed`, { cause: error });
  }
}

/** Name and checksum of each that was applied. */
async function appliedMigrations(on: Pick<pg.Pool, 'query'>): Promise<ReadonlyMap<string, string>> {
  const { rows } = await on.query<{ name: string; checksum: string }>('select name, checksum from schema_migrations');
  return new Map(rows.map(({ name, checksum }) => [name, checksum]));
}
