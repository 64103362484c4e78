import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** One file of SQL; `name` is without its extension. */
export interface SqlFile {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** The SQL of one schema: what changes its tables, once and in order, and the functions and triggers as they are now. */
export interface SchemaFiles {
  readonly migrations: readonly SqlFile[];
  readonly functions: readonly SqlFile[];
  /** All triggers of one table, whose name the file has. */
  readonly triggers: readonly SqlFile[];
  /** Checksum over all files of functions and triggers, names included. */
  readonly functionsChecksum: string;
}

/** The folder of `migrations`, `functions` and `triggers`, or several: a library's and the service's own. */
export type SchemaDirectory = string | readonly string[];

const MIGRATION_NAME = /^\d{4,}_\w+$/;

/**
 * Reads `<directory>/migrations/*.sql`, `<directory>/functions/*.sql` and `<directory>/triggers/*.sql` of every directory,
 * each in order of name.
 * @throws Error when a directory has no folder `migrations`, a migration's name does not begin with a number, or two files
 *   have one name
 */
export async function readSchemaFiles(directory: SchemaDirectory): Promise<SchemaFiles> {
  const directories = [directory].flat();
  const [migrations, functions, triggers] = await Promise.all([
    readFolders(directories, 'migrations'),
    readFolders(directories, 'functions'),
    readFolders(directories, 'triggers'),
  ]);
  const misnamed = migrations.find(({ name }) => !MIGRATION_NAME.test(name));
  if (misnamed) throw new Error(`migration ${misnamed.name} must be named like 0002_add_a_column`);
  const lines = [
    ...functions.map(({ name, checksum }) => `${name} ${checksum}\n`),
    ...triggers.map(({ name, checksum }) => `triggers/${name} ${checksum}\n`),
  ];
  return { migrations, functions, triggers, functionsChecksum: sha256(lines.join('')) };
}

async function readFolders(directories: readonly string[], folder: string): Promise<SqlFile[]> {
  const files = (await Promise.all(directories.map((directory) => readFolder(path.join(directory, folder))))).flat();
  const sorted = files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const twice = sorted.find(({ name }, n) => name === sorted[n - 1]?.name);
  if (twice) throw new Error(`two files of ${folder} are named ${twice.name}`);
  return sorted;
}

async function readFolder(folder: string): Promise<SqlFile[]> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    // Not every schema has functions or triggers; one without migrations is a wrong path.
    if (error.code === 'ENOENT' && path.basename(folder) !== 'migrations') return [];
    throw error;
  });
  const names = entries.filter((name) => name.endsWith('.sql'));
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
