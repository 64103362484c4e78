import type pg from 'pg';
import type { SqlFile } from './schema-files.js';

type Queryable = Pick<pg.ClientBase, 'query'>;

/** One row for each file: its text, and what the catalogue said of the table's triggers after it was applied. */
export const TRIGGERS_TABLE = `create table if not exists schema_triggers (
  table_name text primary key, file_checksum text not null, catalog_digest text not null)`;

/** The triggers of each table: their names, and a digest of what the catalogue says of them. */
const TRIGGERS = `
  select c.relname as table_name, array_agg(t.tgname::text) as names,
    md5(string_agg(concat_ws(' ', t.tgenabled, pg_get_triggerdef(t.oid)), E'\\n' order by t.tgname collate "C")) as digest
  from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where c.relnamespace = current_schema::regnamespace and not t.tgisinternal group by c.relname`;

interface TableTriggers {
  readonly table_name: string;
  readonly names: readonly string[];
  readonly digest: string;
}

/**
 * Makes the triggers of every table those of its file. A table whose triggers are as they should be is not touched: to make
 * or drop a trigger, Postgres locks the table against those who write to it. The caller has begun a transaction as the
 * schema's owner, with the schema first in the search path.
 */
export async function replaceTriggers(tx: Queryable, files: readonly SqlFile[]): Promise<void> {
  const { rows: recorded } = await tx.query<{ table_name: string; file_checksum: string; catalog_digest: string }>(
    'select table_name, file_checksum, catalog_digest from schema_triggers',
  );
  const found = await readTriggers(tx);
  const changed = files.filter(({ name, checksum }) => {
    const row = recorded.find(({ table_name: table }) => table === name);
    return row?.file_checksum !== checksum || row.catalog_digest !== found.get(name)?.digest;
  });
  const named = new Set(files.map(({ name }) => name));
  const unnamed = [...found.keys()].filter((table) => !named.has(table));
  // One order for all, so that two that change triggers do not wait for each other.
  for (const table of [...changed.map(({ name }) => name), ...unnamed].sort()) {
    await dropTriggers(tx, found.get(table));
    const file = changed.find(({ name }) => name === table);
    if (file) await applyFile(tx, file);
    else await tx.query('delete from schema_triggers where table_name = $1', [table]);
  }
}

async function dropTriggers(tx: Queryable, triggers: TableTriggers | undefined): Promise<void> {
  for (const name of triggers?.names ?? []) {
    const { rows } = await tx.query<{ text: string }>(
      `select format('drop trigger %I on %I', $1::text, $2::text) as text`,
      [name, triggers!.table_name],
    );
    await tx.query(rows[0]!.text);
  }
}

async function applyFile(tx: Queryable, { name, sql, checksum }: SqlFile): Promise<void> {
  await tx.query(sql).catch((error: unknown) => {
    throw new Error(`trigger file ${name} failed: ${(error as Error).message}`, { cause: error });
  });
  const made = (await readTriggers(tx)).get(name);
  if (!made) throw new Error(`trigger file ${name} makes no trigger on a table of that name`);
  await tx.query(
    `insert into schema_triggers (table_name, file_checksum, catalog_digest) values ($1, $2, $3)
     on conflict (table_name) do update set file_checksum = excluded.file_checksum, catalog_digest = excluded.catalog_digest`,
    [name, checksum, made.digest],
  );
}

async function readTriggers(tx: Queryable): Promise<ReadonlyMap<string, TableTriggers>> {
  const { rows } = await tx.query<TableTriggers>(TRIGGERS);
  return new Map(rows.map((row) => [row.table_name, row]));
}
