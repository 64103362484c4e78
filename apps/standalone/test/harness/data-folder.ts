import { readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';

/** Runs a statement in the database of all services, and answers its rows. */
export type DatabaseReader = <Row extends object>(sql: string) => Promise<Row[]>;

/** Reads the embedded database of a deployment's folder as its superuser. */
export async function withDatabase<Result>(
  dataDir: string,
  read: (database: DatabaseReader) => Promise<Result>,
): Promise<Result> {
  const pidFile = await readFile(path.join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8');
  const passwords = await readFile(path.join(dataDir, 'postgres', 'passwords.json'), 'utf8');
  const { postgres: password } = JSON.parse(passwords) as { postgres: string };
  const server = { host: '127.0.0.1', port: Number(pidFile.split('\n')[3]), user: 'postgres', password };
  for (const { datname } of await rowsOf<{ datname: string }>({ ...server, database: 'postgres' }, DATABASES)) {
    const database: DatabaseReader = (sql) => rowsOf({ ...server, database: datname }, sql);
    const [schema] = await database(`select from pg_namespace where nspname = 'signer'`);
    if (schema) return read(database);
  }
  throw new Error('no database has the schema of the signer');
}

const DATABASES = 'select datname from pg_database where not datistemplate';

async function rowsOf<Row extends object>(config: pg.ClientConfig, sql: string): Promise<Row[]> {
  const client = new pg.Client(config);
  await client.connect();
  try {
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}
