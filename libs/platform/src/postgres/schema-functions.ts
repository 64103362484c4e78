import type pg from 'pg';
import { IS_OURS, IS_OURS_HERE, keepingGrants } from './function-grants.js';
import type { SchemaFiles } from './schema-files.js';
import { replaceTriggers } from './schema-triggers.js';

type Queryable = Pick<pg.ClientBase, 'query'>;

/**
 * Query for one hash over the catalogue's entries of every function and trigger in the schema, identical in every
 * locale.
 */
const CATALOG_DIGEST = `
  select md5(coalesce(string_agg(entry, E'\\n' order by entry collate "C"), '')) as digest from (
    select concat_ws(' ', 'function', p.proname, pg_get_function_identity_arguments(p.oid),
      pg_get_function_result(p.oid), l.lanname, p.provolatile, p.proparallel, p.proisstrict, p.prosecdef, p.proleakproof,
      p.proconfig::text, pg_get_function_arguments(p.oid), p.prosrc, pg_get_function_sqlbody(p.oid)) as entry
    from pg_proc p join pg_language l on l.oid = p.prolang where ${IS_OURS}
    union all
    select concat_ws(' ', 'trigger', c.relname, t.tgenabled, pg_get_triggerdef(t.oid))
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = to_regnamespace($1) and not t.tgisinternal) as entries`;

/** Functions of triggers are replaced in place: dropping one would drop its triggers. */
const DROP_PLAIN_FUNCTIONS = `
  do $$
  declare
    f regprocedure;
  begin
    for f in select p.oid from pg_proc p
      where ${IS_OURS_HERE} and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
    loop
      execute format('drop routine %s', f);
    end loop;
  end
  $$`;

const DROP_WHAT_NO_FILE_NAMES = `
  do $$
  declare
    this_transaction xid := pg_current_xact_id()::xid;
    f regprocedure;
  begin
    for f in select p.oid from pg_proc p
      where ${IS_OURS_HERE} and p.xmin <> this_transaction
    loop
      execute format('drop routine %s', f);
    end loop;
  end
  $$`;

/**
 * One row for each set of files that was ever applied, in the order in which they were applied first: that of releases. Of the
 * set in force it says what the catalogue looks like, and whether a migration has run since, so that it is applied again.
 */
export const FUNCTIONS_TABLE = `create table if not exists schema_functions (
  files_checksum text primary key, first_applied bigint generated always as identity, is_in_force boolean not null,
  catalog_digest text, is_outdated boolean not null default false, applied_at timestamptz not null default now());
  create unique index if not exists schema_functions_in_force on schema_functions (is_in_force) where is_in_force`;

/** Comparison of a schema's functions with the files of one of its versions. */
export interface FunctionsState {
  /**
   * `none` were ever applied; `outdated`: a migration has run since; `edited` in the database since they were applied;
   * `applied`: as the set in force made them.
   */
  readonly catalog: 'none' | 'outdated' | 'edited' | 'applied';
  /** Whether the files are the set in force, one that was first applied `before` it, or neither. */
  readonly files: 'in force' | 'before' | 'new';
}

/** Compares the functions of a schema with its files. Any role that may read the schema may ask. */
export async function compareFunctions(
  on: Queryable,
  schema: string,
  { functionsChecksum }: SchemaFiles,
): Promise<FunctionsState> {
  const { rows } = await on.query<InForceRow>(
    `select f.catalog_digest, f.is_outdated, case when f.files_checksum = $1 then 'in force'
       when exists (select from schema_functions known
         where known.files_checksum = $1 and known.first_applied < f.first_applied) then 'before'
       else 'new' end as files
     from schema_functions f where f.is_in_force`,
    [functionsChecksum],
  );
  const [inForce] = rows;
  if (!inForce) return { catalog: 'none', files: 'new' };
  const { files, catalog_digest: digest, is_outdated: isOutdated } = inForce;
  if (digest !== (await catalogDigest(on, schema))) return { catalog: 'edited', files };
  return { catalog: isOutdated ? 'outdated' : 'applied', files };
}

interface InForceRow {
  readonly files: FunctionsState['files'];
  readonly catalog_digest: string | null;
  readonly is_outdated: boolean;
}

/**
 * Makes the functions and triggers of the schema those of its files: every file of functions is run again, files of triggers
 * where they differ, and what no file defines is dropped. The caller has begun a transaction as the schema's owner.
 */
export async function replaceFunctions(
  tx: Queryable,
  schema: string,
  { functions, triggers, functionsChecksum }: SchemaFiles,
): Promise<void> {
  // Files may name functions of files that come later.
  await tx.query('set local check_function_bodies = off');
  await keepingGrants(tx, async () => {
    await tx.query(DROP_PLAIN_FUNCTIONS);
    for (const { name, sql } of functions) {
      await tx.query(sql).catch((error: unknown) => {
        throw new Error(`function file ${name} failed: ${(error as Error).message}`, { cause: error });
      });
    }
    await replaceTriggers(tx, triggers);
    await tx.query(DROP_WHAT_NO_FILE_NAMES);
  });
  await recordFunctions(tx, schema, functionsChecksum);
}

/** Takes the functions as they are now for those that were applied. The caller's search path is the schema. */
export async function acceptFunctions(on: Queryable, schema: string): Promise<void> {
  await on.query('update schema_functions set catalog_digest = $1 where is_in_force', [
    await catalogDigest(on, schema),
  ]);
}

/**
 * Has the functions applied again, also by the next run should this one die before. Until then they are as the migration left
 * them, and their version works with them. For the transaction of a migration.
 */
export async function outdateFunctions(tx: Queryable, schema: string): Promise<void> {
  await tx.query('update schema_functions set catalog_digest = $1, is_outdated = true where is_in_force', [
    await catalogDigest(tx, schema),
  ]);
}

async function recordFunctions(tx: Queryable, schema: string, filesChecksum: string): Promise<void> {
  await tx.query(
    'update schema_functions set is_in_force = false, catalog_digest = null, is_outdated = false where is_in_force',
  );
  await tx.query(
    `insert into schema_functions (files_checksum, is_in_force, catalog_digest) values ($1, true, $2)
     on conflict (files_checksum) do update set is_in_force = true, catalog_digest = excluded.catalog_digest, is_outdated = false,
       applied_at = now()`,
    [filesChecksum, await catalogDigest(tx, schema)],
  );
}

async function catalogDigest(on: Queryable, schema: string): Promise<string> {
  const { rows } = await on.query<{ digest: string }>(CATALOG_DIGEST, [schema]);
  return rows[0]!.digest;
}
