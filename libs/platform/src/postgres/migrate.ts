import { sleep } from '@agent-wallet/kernel';
import type pg from 'pg';
import { buildIndex, findConcurrentIndex } from './concurrent-index.js';
import type { Database } from './database.js';
import { readSchemaFiles, type SchemaDirectory, type SchemaFiles, type SqlFile } from './schema-files.js';
import {
  compareFunctions,
  FUNCTIONS_TABLE,
  type FunctionsState,
  outdateFunctions,
  replaceFunctions,
} from './schema-functions.js';
import { TRIGGERS_TABLE } from './schema-triggers.js';

/** Any number: the lock under which one process at a time migrates a schema. */
const MIGRATION_LOCK = 7_214_001;

const MIGRATIONS_TABLE = `create table if not exists schema_migrations (
  name text primary key, checksum text not null, applied_at timestamptz not null default now())`;

/** Grants read access to roles that work in the schema without owning it, so that they can verify its version. */
const READ_ONLY = `
  do $$
  declare
    worker text;
  begin
    for worker in
      select distinct grantee::regrole::text from pg_namespace n, aclexplode(n.nspacl)
      where n.nspname = current_schema and grantee not in (0, n.nspowner)
    loop
      execute format('revoke all on schema_migrations, schema_functions, schema_triggers from %s', worker);
      execute format('grant select on schema_migrations, schema_functions to %s', worker);
    end loop;
  end
  $$`;

/** Name of the functions among the applied entries of `migrate`. */
const FUNCTIONS = 'functions';

/** Shorter than the second after which Postgres looks for a deadlock: in one with a service, the migration gives way. */
const LOCK_TIMEOUT_MS = 500;
const RETRY_MS = 1_000;
const LOCK_POLL_MS = 100;
const GIVE_UP_AFTER_MS = 60_000;

/** lock_not_available, deadlock_detected */
const NOT_LOCKED: readonly unknown[] = ['55P03', '40P01'];

/** Options for updating a schema. */
interface MigrateOptions {
  /** Replaces functions that were edited in the database, instead of refusing. */
  readonly overwriteFunctions?: boolean;
  /** Puts functions back that a newer version has replaced, instead of refusing. */
  readonly allowOlderFunctions?: boolean;
  /** Time that each try waits for a lock, while others wait behind it; time until the next try, and until the last. */
  readonly lockTimeoutMs?: number;
  readonly retryMs?: number;
  readonly abandonAfterMs?: number;
  /** Is called with the reason before each further try. */
  readonly onWait?: (reason: string) => void;
}

/**
 * Brings a schema up to date, under a lock, so that replicas may start together: applies every
 * `<directory>/migrations/<number>_<name>.sql` that was not applied yet, in order of name, each in a transaction, but for one
 * that creates an index concurrently; then, in one more, makes the functions and triggers those of `<directory>/functions/*.sql` and `<directory>/triggers/*.sql` when a
 * file has changed. Where services hold a table's lock, each transaction gives way and is tried again.
 * @returns the names applied now; `functions` for the functions
 * @throws Error when an applied migration was edited since, when a new one sorts before an applied one, when the functions in
 *   the database are not those that were applied, or those of a newer version, and when locks are not had in time
 */
export async function migrate(
  database: Database,
  directory: SchemaDirectory,
  options: MigrateOptions = {},
): Promise<string[]> {
  const { pool, schema } = database;
  const files = await readSchemaFiles(directory);
  const client = await pool.connect();
  try {
    // First of all: a planted function could also take the place of one that locks.
    await refuseForeignObjects(client, schema);
    await lockSchema(client, schema);
    try {
      // Again, for those that were made while it waited.
      await refuseForeignObjects(client, schema);
      await client.query(`${MIGRATIONS_TABLE}; ${FUNCTIONS_TABLE}; ${TRIGGERS_TABLE}; ${READ_ONLY}`);
      return await bringUpToDate(client, schema, files, options);
    } finally {
      await client.query('select pg_catalog.pg_advisory_unlock($1, pg_catalog.hashtext($2))', [MIGRATION_LOCK, schema]);
    }
  } finally {
    client.release();
  }
}

/**
 * Returns the reasons why a program cannot work on a schema. These are unapplied migrations, in order, and functions
 * that were edited in the database or may not suit the program. Functions suit the version of their files, and older
 * versions whose files were applied before. Any role that may read the schema may call this.
 * @throws Error when nothing was ever applied, or the database is away
 */
export async function missingMigrations({ pool, schema }: Database, directory: SchemaDirectory): Promise<string[]> {
  const files = await readSchemaFiles(directory);
  const known = await appliedMigrations(pool);
  const missing = files.migrations.flatMap(({ name, checksum }) => {
    const applied = known.get(name);
    if (applied === checksum) return [];
    return applied === undefined ? name : `${name} (edited after it was applied)`;
  });
  const state = await compareFunctions(pool, schema, files);
  if (hasNoFunctions(files)) return state.catalog === 'none' ? missing : [...missing, FUNCTIONS];
  if (state.catalog === 'edited') return [...missing, `${FUNCTIONS} (changed in the database)`];
  // Functions that were not applied again since a migration are still those of the set in force.
  return state.catalog !== 'none' && state.files !== 'new' ? missing : [...missing, FUNCTIONS];
}

/**
 * Waits for the lock in short statements: another run may hold it for as long as it builds an index, and that build waits for
 * every statement which began before it.
 */
async function lockSchema(client: pg.PoolClient, schema: string): Promise<void> {
  const statement = 'select pg_catalog.pg_try_advisory_lock($1, pg_catalog.hashtext($2)) as locked';
  while (!(await client.query<{ locked: boolean }>(statement, [MIGRATION_LOCK, schema])).rows[0]!.locked) {
    await sleep(LOCK_POLL_MS);
  }
}

const hasNoFunctions = ({ functions, triggers }: SchemaFiles) => functions.length === 0 && triggers.length === 0;

/** Functions and operators of a schema that its owner does not own; those of extensions are left out. */
const FOREIGN_OBJECTS = `
  select 'function ' || p.proname as object from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname = $1 and p.proowner <> n.nspowner
    and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
  union all
  select 'operator ' || o.oprname from pg_operator o join pg_namespace n on n.oid = o.oprnamespace
  where n.nspname = $1 and o.oprowner <> n.nspowner`;

/**
 * Stops before any statement that resolves names in the schema. A role that may create tables there could have made a
 * function that Postgres prefers to a built-in one, and that would run with the rights of the schema's owner.
 */
async function refuseForeignObjects(client: pg.PoolClient, schema: string): Promise<void> {
  await client.query('begin; set local search_path = pg_catalog');
  try {
    const { rows } = await client.query<{ object: string }>(FOREIGN_OBJECTS, [schema]);
    if (rows.length === 0) return;
    const objects = rows.map(({ object }) => object).join(', ');
    throw new Error(
      `schema ${schema} has objects that its owner did not make: ${objects}. Find out who made them, and drop them`,
    );
  } finally {
    await client.query('rollback');
  }
}

async function bringUpToDate(
  client: pg.PoolClient,
  schema: string,
  files: SchemaFiles,
  options: MigrateOptions,
): Promise<string[]> {
  const missing = await missingOf(client, files.migrations);
  // Asked before a migration runs, for one may change what the catalogue says of functions.
  const before = await compareFunctions(client, schema, files);
  refuseFunctions(before, schema, { ...options, hasFiles: files.functions.length > 0 });
  for (const file of missing) {
    const { name, sql, checksum } = file;
    const index = findConcurrentIndex(file);
    if (index) await buildIndex(client, schema, file, index);
    await inTransaction(client, { subject: `migration ${name}`, options }, async () => {
      if (!index) await client.query(sql);
      await outdateFunctions(client, schema);
      await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum]);
    });
  }
  const applied = missing.map(({ name }) => name);
  const isCurrent = applied.length === 0 && before.catalog === 'applied' && before.files === 'in force';
  if (isCurrent || hasNoFunctions(files)) return applied;
  const subject = `the functions of schema ${schema}`;
  await inTransaction(client, { subject, options }, () => replaceFunctions(client, schema, files));
  return [...applied, FUNCTIONS];
}

function refuseFunctions(
  { catalog, files }: FunctionsState,
  schema: string,
  asked: MigrateOptions & { readonly hasFiles: boolean },
): void {
  if (catalog !== 'none' && !asked.hasFiles) {
    throw new Error(`schema ${schema} has functions, but this version has no file of functions for it`);
  }
  if (catalog === 'edited' && !asked.overwriteFunctions) {
    throw new Error(
      `the functions of schema ${schema} were changed in the database since they were applied. ` +
        'Find out who changed them, then run this migration with --overwrite-functions',
    );
  }
  if (files === 'before' && !asked.allowOlderFunctions) {
    throw new Error(
      `the functions of schema ${schema} are those of a newer version, which has replaced the ones of this version. This ` +
        'version can work with them and needs no migration. To restore its own nevertheless, run this migration with ' +
        '--allow-older-functions',
    );
  }
}

/**
 * Returns the migrations not applied yet.
 * @throws Error when an applied one was edited, or one that is missing sorts before it
 */
async function missingOf(client: pg.PoolClient, migrations: readonly SqlFile[]): Promise<SqlFile[]> {
  const checksums = await appliedMigrations(client);
  const newest = [...checksums.keys()].sort().at(-1) ?? '';
  const edited = migrations.find(({ name, checksum }) => (checksums.get(name) ?? checksum) !== checksum);
  if (edited) throw new Error(`migration ${edited.name} was edited after it was applied`);
  const missing = migrations.filter(({ name }) => !checksums.has(name));
  const early = missing.find(({ name }) => name < newest);
  // Databases that have the later one already would get the two in another order than new ones.
  if (early)
    throw new Error(`migration ${early.name} sorts before ${newest}, which was applied; give it a later number`);
  return missing;
}

/** Does work in a transaction, again when it did not get its locks. */
async function inTransaction(
  client: pg.PoolClient,
  { subject, options }: { readonly subject: string; readonly options: MigrateOptions },
  work: () => Promise<void>,
): Promise<void> {
  const { lockTimeoutMs = LOCK_TIMEOUT_MS, retryMs = RETRY_MS, abandonAfterMs = GIVE_UP_AFTER_MS, onWait } = options;
  const untilMs = performance.now() + abandonAfterMs;
  for (;;) {
    await client.query(`begin; set local lock_timeout = ${lockTimeoutMs}`);
    try {
      await work();
      await client.query('commit');
      return;
    } catch (error) {
      await client.query('rollback');
      if (!isNotLocked(error)) throw new Error(`${subject} failed`, { cause: error });
      if (performance.now() > untilMs) {
        throw new Error(
          `${subject} failed: it did not get its locks within ${abandonAfterMs} ms, in tries of ${lockTimeoutMs} ms each. ` +
            'Look at pg_stat_activity, end the transactions that stay open, and run it again',
          { cause: error },
        );
      }
      onWait?.(`${subject}: ${(error as Error).message}`);
      await sleep(retryMs);
    }
  }
}

function isNotLocked(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  return NOT_LOCKED.includes(code) || isNotLocked(cause);
}

/** Returns the checksum of each applied entry, by name. */
async function appliedMigrations(on: Pick<pg.Pool, 'query'>): Promise<ReadonlyMap<string, string>> {
  const { rows } = await on.query<{ name: string; checksum: string }>('select name, checksum from schema_migrations');
  return new Map(rows.map(({ name, checksum }) => [name, checksum]));
}
