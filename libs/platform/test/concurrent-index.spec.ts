import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@agent-wallet/testing';
import { type Database, migrate } from '../src/index.js';
import { openSchema, openTestDatabase, type TestDatabase } from './support.js';

const INDEX = '0003_things_by_n';
const SQL = '-- Large tables have writers all the time.\ncreate unique index concurrently things_by_n on things (n);';

let test: TestDatabase;
let database: Database;
let directory: string;

beforeEach(async () => {
  test = await openTestDatabase();
  database = await openSchema(test, 'things');
  directory = await mkdtemp(path.join(tmpdir(), 'schema-'));
  await cp(path.join(import.meta.dirname, 'fixtures', 'db'), directory, { recursive: true });
  await migrate(database, directory);
  await writeMigration(SQL);
});

afterEach(async () => {
  await database.close();
  await test.close();
  await rm(directory, { recursive: true });
});

const writeMigration = (sql: string) => writeFile(path.join(directory, 'migrations', `${INDEX}.sql`), sql);

/** The identity of the index, and whether it serves queries; undefined when there is none. */
async function findIndex(): Promise<{ oid: number; valid: boolean } | undefined> {
  const { rows } = await database.pool.query<{ oid: number; valid: boolean }>(
    `select indexrelid::int as oid, indisvalid as valid from pg_index where indexrelid = to_regclass('things_by_n')`,
  );
  return rows[0];
}

/** Counts sessions of this database that build the index and wait. */
async function countBuilds(): Promise<number> {
  const { rows } = await database.pool.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and query like '%create unique index concurrently%' and wait_event_type = 'Lock'
       and pid <> pg_backend_pid()`,
  );
  return rows[0]!.n;
}

describe('a migration that creates an index concurrently', () => {
  it('builds the index once and records the migration', async () => {
    expect(await migrate(database, directory)).toEqual([INDEX, 'functions']);
    expect(await findIndex()).toMatchObject({ valid: true });
    expect(await migrate(database, directory)).toEqual([]);
  });

  it('drops the invalid index of a failed build and builds it again', async () => {
    await database.pool.query('insert into things values (5), (5)');
    await expect(migrate(database, directory)).rejects.toThrow(`migration ${INDEX} failed`);
    const left = (await findIndex())!;
    expect(left.valid).toBe(false);
    await database.pool.query('delete from things where n = 5');
    expect(await migrate(database, directory)).toEqual([INDEX, 'functions']);
    const built = (await findIndex())!;
    expect(built.valid).toBe(true);
    expect(built.oid).not.toBe(left.oid);
  });

  it('keeps the index of a run that ended before it recorded the migration', async () => {
    await database.pool.query(SQL);
    const before = await findIndex();
    expect(await migrate(database, directory)).toEqual([INDEX, 'functions']);
    expect(await findIndex()).toEqual(before);
  });

  it('builds the index once with several runners, while a writer is open and others go on', async () => {
    const writer = await database.pool.connect();
    await writer.query('begin; insert into things values (5)');
    const runs = Promise.all([1, 2, 3].map(() => migrate(database, directory)));
    await eventually(async () => (await countBuilds()) === 1);
    await database.pool.query('insert into things values (6)');
    await writer.query('commit');
    writer.release();
    expect((await runs).flat()).toEqual([INDEX, 'functions']);
    expect(await findIndex()).toMatchObject({ valid: true });
  });

  it('rejects a file with a second statement', async () => {
    await writeMigration(`${SQL}\ninsert into things values (7);`);
    await expect(migrate(database, directory)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('cannot run inside a transaction block') },
    });
    expect(await findIndex()).toBeUndefined();
  });
});
