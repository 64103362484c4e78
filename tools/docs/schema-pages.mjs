#!/usr/bin/env node
// Writes docs/schema/<schema>.sql as each schema is in a real database: `npm run docs:schema`. Git ignores them.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { build } from '../build.mjs';
import { ensureInstalled } from '../running/install.mjs';
import { isMain, root } from '../running/process.mjs';

const SERVICES = ['gateway', 'wallet', 'policy', 'swap', 'prediction', 'signer', 'history'];
/** As in production, their services do not own these. */
const OWNED_APART = ['prediction', 'history'];
const FOLDER = path.join(root, 'docs', 'schema');

const COLUMNS = `
  select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
    a.attidentity <> '' as identity, pg_get_expr(d.adbin, d.adrelid) as default,
    (select string_agg(distinct g.grantee::regrole || ': ' || g.rights, '; ') from (
      select grantee, string_agg(lower(privilege_type), ', ' order by privilege_type) as rights
      from aclexplode(c.relacl) where grantee <> c.relowner group by grantee) g) as grants
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relnamespace = current_schema::regnamespace and c.relkind in ('r', 'p') order by c.relname, a.attnum`;

/** What is one text each: types, what belongs to a table, and signatures. */
const TEXTS = {
  types: `
    select format('create type %I as %s', t.typname, case t.typtype
      when 'e' then (select format('enum (%s)', string_agg(quote_literal(enumlabel), ', ' order by enumsortorder))
        from pg_enum where enumtypid = t.oid)
      else (select format('(%s)', string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' order by attnum))
        from pg_attribute where attrelid = t.typrelid) end) as text, null as table
    from pg_type t left join pg_class c on c.oid = t.typrelid
    where t.typnamespace = current_schema::regnamespace and (t.typtype = 'e' or c.relkind = 'c') order by t.typname`,
  constraints: `
    select pg_get_constraintdef(o.oid) as text, c.relname as table
    from pg_constraint o join pg_class c on c.oid = o.conrelid
    where o.connamespace = current_schema::regnamespace and o.contype <> 'n' order by c.relname, o.contype desc, o.conname`,
  indexes: `
    select i.indexdef as text, i.tablename as table from pg_indexes i
    where i.schemaname = current_schema and not exists (select from pg_constraint o
      where o.connamespace = current_schema::regnamespace and o.conname = i.indexname)
    order by i.tablename, i.indexname`,
  triggers: `
    select pg_get_triggerdef(t.oid) as text, c.relname as table from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = current_schema::regnamespace and not t.tgisinternal order by c.relname, t.tgname`,
  functions: `
    select format('%s(%s) returns %s %s', p.proname, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid),
      case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end) as text, null as table
    from pg_proc p where p.pronamespace = current_schema::regnamespace order by p.proname`,
};

/** Writes every page. @throws Error when a schema cannot be migrated */
export async function writeSchemaPages() {
  const { createServiceRoles, startEmbeddedPostgres } = await import('@agent-wallet/embedded');
  const { createLogger, migrate, openDatabase } = await import('@agent-wallet/platform');
  const schemas = await readSchemas();
  const directory = await mkdtemp(path.join(os.tmpdir(), 'schema-pages-'));
  const server = await startEmbeddedPostgres({ dataDir: path.join(directory, 'postgres'), durability: 'relaxed' });
  try {
    const roles = await createServiceRoles(
      server,
      schemas.map(({ schema }) => schema),
      OWNED_APART,
    );
    await mkdir(FOLDER, { recursive: true });
    for (const { schema, directory: files } of schemas) {
      const connection = roles[`${schema}_owner`] ?? roles[schema];
      const database = openDatabase({ connection, schema, logger: createLogger('docs', 'silent') });
      try {
        await migrate(database, files);
        const comments = await readComments([files].flat());
        await writeFile(path.join(FOLDER, `${schema}.sql`), await schemaPage(schema, database.pool, comments));
      } finally {
        await database.close();
      }
    }
  } finally {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function readSchemas() {
  const { EVENT_LOG_MIGRATIONS } = await import('@agent-wallet/events');
  const own = SERVICES.map(async (service) => {
    const module = await import(`../../apps/${service}/dist/migrations.js`);
    return module[`${service}Migrations`];
  });
  return [...(await Promise.all(own)), EVENT_LOG_MIGRATIONS];
}

async function schemaPage(schema, pool, comments) {
  const { rows: columns } = await pool.query(COLUMNS);
  const texts = {};
  for (const [kind, sql] of Object.entries(TEXTS)) texts[kind] = (await pool.query(sql)).rows;
  const tables = [...new Set(columns.map(({ table }) => table))];
  return [
    `-- The schema ${schema}, as it is in a migrated database.`,
    texts.types.map(({ text }) => `${text};`).join('\n'),
    ...tables.map((table) =>
      tableText(
        columns.filter((column) => column.table === table),
        texts,
        comments,
      ),
    ),
    ['-- Functions', ...texts.functions.map(({ text }) => `--   ${text}`)].join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

function tableText(columns, { constraints, indexes, triggers }, comments) {
  const [{ table, grants }] = columns;
  const of = (texts) => texts.filter((each) => each.table === table).map(({ text }) => text);
  const commentOf = (name, indent) => (comments.get(name) ?? []).map((line) => `${indent}-- ${line}\n`).join('');
  const lines = [
    ...columns.map((column) => `${commentOf(`${table}.${column.name}`, '  ')}  ${columnText(column)}`),
    ...of(constraints).map((text) => `  ${text}`),
  ];
  return [
    `${commentOf(table, '')}create table ${table} (\n${lines.join(',\n')}\n);`,
    ...(grants ? [`-- Rights of ${grants}`] : []),
    ...[...of(indexes), ...of(triggers)].map((text) => `${text};`),
  ].join('\n');
}

function columnText({ name, type, required, identity, default: value }) {
  const parts = [name, type];
  if (required) parts.push('not null');
  if (identity) parts.push('generated as identity');
  if (value !== null) parts.push(`default ${value}`);
  return parts.join(' ');
}

/** The comments above tables and columns in the migrations, by `table` and `table.column`: the catalogue has none. */
async function readComments(directories) {
  const comments = new Map();
  for (const folder of directories.map((directory) => path.join(directory, 'migrations'))) {
    for (const file of (await readdir(folder)).sort()) {
      let [table, block] = ['', []];
      for (const line of (await readFile(path.join(folder, file), 'utf8')).split('\n')) {
        const [, comment] = /^\s*-- ?(.*)$/.exec(line) ?? [];
        if (comment !== undefined) block.push(comment);
        else {
          table = /^(?:create|alter) table (\w+)/.exec(line)?.[1] ?? (/^\S/.test(line) ? '' : table);
          const name = /^\s/.test(line) ? /^\s+(?:add column )?(\w+) /.exec(line)?.[1] : undefined;
          const subject = name === undefined ? table : `${table}.${name}`;
          if (block.length > 0 && table !== '' && line !== '') comments.set(subject, block);
          block = [];
        }
      }
    }
  }
  return comments;
}

if (isMain(import.meta)) {
  await ensureInstalled();
  await build();
  await writeSchemaPages();
  process.exit(0);
}
