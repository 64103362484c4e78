import type pg from 'pg';
import type { SchemaFiles } from './schema-files.js';

type Queryable = Pick<pg.ClientBase, 'query'>;

/** A function that an extension brought belongs to the extension. */
const IS_OURS = `p.pronamespace = to_regnamespace($1) and not exists (
  select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`;

/** What the catalogue says of every function and trigger in the schema, in one hash; the same in every locale. */
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

const IS_OURS_HERE = IS_OURS.replace('to_regnamespace($1)', 'current_schema::regnamespace');

/** Triggers keep the functions they call, so both are replaced in place and only what no file names is dropped. */
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
    old_trigger record;
    f regprocedure;
  begin
    for old_trigger in select t.tgname, t.tgrelid::regclass as on_table from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where c.relnamespace = current_schema::regnamespace and not t.tgisinternal and t.xmin <> this_transaction
    loop
      execute format('drop trigger %I on %s', old_trigger.tgname, old_trigger.on_table);
    end loop;
    for f in select p.oid from pg_proc p
      where ${IS_OURS_HERE} and p.xmin <> this_transaction
    loop
      execute format('drop routine %s', f);
    end loop;
  end
  $$`;

/** One row: which text the functions were made from, and what the catalogue looked like afterwards. */
export const FUNCTIONS_TABLE = `create table if not exists schema_functions (
  is_only boolean primary key default true check (is_only), files_checksum text not null, catalog_digest text not null,
  applied_at timestamptz not null default now())`;

/**
 * How the functions of a schema compare with its files: `absent` when none were applied since the last migration, `edited`
 * when a hand has changed them in the database since they were applied, `stale` when the files have changed.
 */
export async function compareFunctions(
  on: Queryable,
  schema: string,
  { functionsChecksum }: SchemaFiles,
): Promise<'absent' | 'current' | 'stale' | 'edited'> {
  const { rows } = await on.query<{ files_checksum: string; catalog_digest: string }>(
    'select files_checksum, catalog_digest from schema_functions',
  );
  const [applied] = rows;
  if (!applied) return 'absent';
  if (applied.catalog_digest !== (await catalogDigest(on, schema))) return 'edited';
  return applied.files_checksum === functionsChecksum ? 'current' : 'stale';
}

/**
 * Makes the functions and triggers of the schema those of its files: every file is run again, and what no file defines is
 * dropped. The caller has begun a transaction as the schema's owner.
 */
export async function replaceFunctions(
  tx: Queryable,
  schema: string,
  { functions, functionsChecksum }: SchemaFiles,
): Promise<void> {
  // Files may name functions of files that come later.
  await tx.query('set local check_function_bodies = off');
  await tx.query(DROP_PLAIN_FUNCTIONS);
  for (const { name, sql } of functions) {
    await tx.query(sql).catch((error: unknown) => {
      throw new Error(`function file ${name} failed: ${(error as Error).message}`, { cause: error });
    });
  }
  await tx.query(DROP_WHAT_NO_FILE_NAMES);
  await recordFunctions(tx, schema, functionsChecksum);
}

/** Takes the functions as they are now for those that were applied. The caller's search path is the schema. */
export async function acceptFunctions(on: Queryable, schema: string): Promise<void> {
  await on.query('update schema_functions set catalog_digest = $1', [await catalogDigest(on, schema)]);
}

async function recordFunctions(tx: Queryable, schema: string, filesChecksum: string): Promise<void> {
  await tx.query(
    `insert into schema_functions (files_checksum, catalog_digest) values ($1, $2)
     on conflict (is_only) do update
       set files_checksum = excluded.files_checksum, catalog_digest = excluded.catalog_digest, applied_at = now()`,
    [filesChecksum, await catalogDigest(tx, schema)],
  );
}

async function catalogDigest(on: Queryable, schema: string): Promise<string> {
  const { rows } = await on.query<{ digest: string }>(CATALOG_DIGEST, [schema]);
  return rows[0]!.digest;
}
