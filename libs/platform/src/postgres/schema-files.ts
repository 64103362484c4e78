import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** One file of SQL; `name` is without its extension. */
export interface SqlFile {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** The SQL of one schema: what changes its tables, once and in order, and the functions as they are now. */
export interface SchemaFiles {
  readonly migrations: readonly SqlFile[];
  readonly functions: readonly SqlFile[];
  /** Of all function files, names included. */
  readonly functionsChecksum: string;
}

const MIGRATION_NAME = /^\d{4,}_\w+$/;

/**
 * Reads `<directory>/migrations/*.sql` and `<directory>/functions/*.sql`, each in order of name.
 * @throws Error when a migration's name does not begin with a number
 */
export async function readSchemaFiles(directory: string): Promise<SchemaFiles> {
  const [migrations, functions] = await Promise.all(
    ['migrations', 'functions'].map((folder) => readFolder(path.join(directory, folder))),
  );
  const misnamed = migrations!.find(({ name }) => !MIGRATION_NAME.test(name));
  if (misnamed) throw new Error(`migration ${misnamed.name} must be named like 0002_add_a_column`);
  const functionsChecksum = sha256(functions!.map(({ name, checksum }) => `${name} ${checksum}\n`).join(''));
  return { migrations: migrations!, functions: functions!, functionsChecksum };
}

async function readFolder(folder: string): Promise<SqlFile[]> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const names = entries.filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(path.join(folder, name), 'utf8');
      return { name: name.slice(0, -'.sql'.length), sql, checksum: sha256(sql) };
    }),
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
