import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type pg from 'pg';
import { type Database, migrate, missingMigrations } from '../src/index.js';
import { openSchema, openTestDatabase, type TestDatabase } from './support.js';

const MAKE = '0001_make_a_table';
const FILL = '0002_fill_it';

let test: TestDatabase;
let database: Database;
let directory: string;

beforeEach(async () => {
  test = await openTestDatabase();
  database = await openSchema(test, 'things');
  directory = await mkdtemp(path.join(tmpdir(), 'schema-'));
  await cp(path.join(import.meta.dirname, 'fixtures', 'db'), directory, { recursive: true });
});

afterEach(async () => {
  await database.close();
  await test.close();
  await rm(directory, { recursive: true });
});

const fileOf = (migration: string) => path.join(directory, 'migrations', `${migration}.sql`);

async function countThings(): Promise<number> {
  const { rows } = await database.pool.query<{ n: number }>('select count(*)::int as n from things');
  return rows[0]!.n;
}

describe('migrate', () => {
  it('applies each migration once, in order', async () => {
    expect(await migrate(database, directory)).toEqual([MAKE, FILL, 'functions']);
    expect(await migrate(database, directory)).toEqual([]);
    expect(await countThings()).toBe(1);
  });

  it('applies each migration once when replicas start together', async () => {
    const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(database, directory)));
    expect(applied.flat()).toEqual([MAKE, FILL, 'functions']);
    expect(await countThings()).toBe(1);
  });

  it('tells what is missing, and whether nothing was applied ever', async () => {
    await expect(missingMigrations(database, directory)).rejects.toThrow('schema_migrations');
    await rename(fileOf(FILL), path.join(directory, 'later.sql'));
    await migrate(database, directory);
    expect(await missingMigrations(database, directory)).toEqual([]);
    await rename(path.join(directory, 'later.sql'), fileOf(FILL));
    expect(await missingMigrations(database, directory)).toEqual([FILL]);
    expect(await countThings()).toBe(0);
  });

  it('refuses an applied migration that was edited', async () => {
    await migrate(database, directory);
    await writeFile(fileOf(FILL), 'insert into things values (2);');
    await expect(migrate(database, directory)).rejects.toThrow(`${FILL} was edited`);
    expect(await missingMigrations(database, directory)).toEqual([`${FILL} (edited after it was applied)`]);
  });

  it('leaves nothing of a migration that failed, and applies it once mended', async () => {
    const file = fileOf(FILL);
    await writeFile(file, 'insert into things values (1); insert into nowhere values (1);');
    await expect(migrate(database, directory)).rejects.toThrow(`${FILL} failed`);
    expect(await countThings()).toBe(0);
    await writeFile(file, 'insert into things values (1);');
    expect(await migrate(database, directory)).toEqual([FILL, 'functions']);
  });

  it('rejects a migration that sorts before an applied one', async () => {
    await migrate(database, directory);
    await writeFile(fileOf('0001_zealous'), 'insert into things values (3);');
    await expect(migrate(database, directory)).rejects.toThrow(`0001_zealous sorts before ${FILL}`);
    expect(await countThings()).toBe(1);
  });

  it('says that an applied migration was edited before it looks at the functions', async () => {
    await migrate(database, directory);
    await writeFile(fileOf(FILL), 'insert into things values (2);');
    await database.pool.query('drop function count_things()');
    await expect(migrate(database, directory)).rejects.toThrow(`${FILL} was edited`);
  });

  it('rejects a migration without a number', async () => {
    await writeFile(fileOf('fill_it'), 'insert into things values (3);');
    await expect(migrate(database, directory)).rejects.toThrow('fill_it must be named like');
  });
});

describe('a schema of several directories', () => {
  let library: string;

  beforeEach(async () => {
    library = path.join(directory, 'library');
    for (const folder of ['migrations', 'functions']) await mkdir(path.join(library, folder), { recursive: true });
    await writeFile(path.join(library, 'migrations', '0001_tools.sql'), 'create table tools (n int)');
    await writeFile(
      path.join(library, 'functions', 'count_tools.sql'),
      'create or replace function count_tools() returns bigint language sql stable as $$ select count(*) from tools $$',
    );
  });

  it('has the migrations of all, in order of name, and the functions of all', async () => {
    expect(await migrate(database, [library, directory])).toEqual([MAKE, '0001_tools', FILL, 'functions']);
    expect(await missingMigrations(database, [library, directory])).toEqual([]);
    const { rows } = await database.pool.query('select count_tools() as tools, count_things() as things');
    expect(rows).toEqual([{ tools: '0', things: '1' }]);
  });

  it('rejects a library’s migration that sorts before an applied one', async () => {
    await migrate(database, directory);
    await expect(migrate(database, [library, directory])).rejects.toThrow(`0001_tools sorts before ${FILL}`);
  });

  it.each([
    ['migrations', MAKE],
    ['functions', 'count_things'],
  ])('rejects two %s of one name', async (folder, name) => {
    await writeFile(path.join(library, folder, `${name}.sql`), '');
    await expect(migrate(database, [library, directory])).rejects.toThrow(`two files of ${folder} are named ${name}`);
  });
});

describe('functions of a schema', () => {
  const functionFile = (name: string) => path.join(directory, 'functions', `${name}.sql`);
  const triggerFile = (table: string) => path.join(directory, 'triggers', `${table}.sql`);
  const countWith = async (call: string) =>
    (await database.pool.query<{ n: unknown }>(`select ${call} as n`)).rows[0]!.n;
  beforeEach(() => writeFile(functionFile('constant'), 'create or replace function constant() returns int return 7;'));
  const EDIT = 'create or replace function count_things() returns bigint language sql stable as $$ select 7::bigint $$';

  it('are those of the files, triggers included', async () => {
    await migrate(database, directory);
    expect(await countWith('count_things()')).toBe('1');
    await expect(database.pool.query('insert into things values (-1)')).rejects.toThrow('n is negative');
  });

  it('are replaced when a file changes, even if the function returned another type before', async () => {
    await migrate(database, directory);
    await writeFile(
      functionFile('count_things'),
      'create or replace function count_things() returns text language sql stable as $$ select later_file() $$;',
    );
    await writeFile(
      functionFile('later_file'),
      "create or replace function later_file() returns text language sql stable as $$ select 'many' $$;",
    );
    expect(await missingMigrations(database, directory)).toEqual(['functions']);
    expect(await migrate(database, directory)).toEqual(['functions']);
    expect(await migrate(database, directory)).toEqual([]);
    expect(await countWith('count_things()')).toBe('many');
    await expect(database.pool.query('insert into things values (-1)')).rejects.toThrow('n is negative');
  });

  it('are dropped with their triggers when their file is removed', async () => {
    await migrate(database, directory);
    await rm(functionFile('reject_negatives'));
    await rm(triggerFile('things'));
    expect(await migrate(database, directory)).toEqual(['functions']);
    await database.pool.query('insert into things values (-1)');
    expect(await countWith("to_regproc('reject_negatives')")).toBeNull();
  });

  it('stay as they were when a file fails, and the error names the file', async () => {
    await migrate(database, directory);
    await writeFile(functionFile('reject_negatives'), 'create function nonsense');
    await expect(migrate(database, directory)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('function file reject_negatives failed') },
    });
    expect(await countWith('count_things()')).toBe('1');
    await expect(database.pool.query('insert into things values (-1)')).rejects.toThrow('n is negative');
  });

  it('are replaced after a migration that changes what the catalogue says of them', async () => {
    await migrate(database, directory);
    await writeFile(
      fileOf('0003_rename_the_column'),
      'alter table things rename n to m; alter table things rename m to n;',
    );
    await writeFile(
      fileOf('0004_add_a_trigger'),
      `create trigger again before delete on things execute function reject_negatives()`,
    );
    expect(await migrate(database, directory)).toEqual(['0003_rename_the_column', '0004_add_a_trigger', 'functions']);
    expect(await migrate(database, directory)).toEqual([]);
  });

  it('are replaced by the next run when one ended right after a migration', async () => {
    await migrate(database, directory);
    await database.pool.query('update schema_functions set is_outdated = true');
    // The program works with them meanwhile: they are as the migration left them.
    expect(await missingMigrations(database, directory)).toEqual([]);
    expect(await migrate(database, directory)).toEqual(['functions']);
    expect(await migrate(database, directory)).toEqual([]);
  });

  it('are refused when they were edited in the database, also when a file has changed since', async () => {
    await migrate(database, directory);
    await database.pool.query(EDIT);
    await rm(functionFile('reject_negatives'));
    await expect(migrate(database, directory)).rejects.toThrow('the functions of schema things were changed');
  });

  it('stay when the files are not where they should be', async () => {
    await migrate(database, directory);
    await rm(path.join(directory, 'functions'), { recursive: true });
    await expect(migrate(database, directory)).rejects.toThrow('this version has no file of functions');
    expect(await missingMigrations(database, directory)).toEqual(['functions']);
    await expect(migrate(database, path.join(directory, 'nowhere'))).rejects.toThrow('ENOENT');
    expect(await countWith('count_things()')).toBe('1');
  });

  it.each([
    ['a function is replaced', EDIT],
    ['the body of a function in SQL is replaced', 'create or replace function constant() returns int return 8'],
    ['a function is added', 'create function extra() returns int language sql as $$ select 1 $$'],
    ['a trigger is switched off', 'alter table things disable trigger things_are_not_negative'],
    ['a trigger is dropped', 'drop trigger things_are_not_negative on things'],
    ['a function gets a setting', "alter function count_things() set search_path = 'public'"],
  ])('are refused when %s in the database, until they are overwritten', async (_, edit) => {
    await migrate(database, directory);
    await database.pool.query(edit);
    expect(await missingMigrations(database, directory)).toEqual(['functions (changed in the database)']);
    await expect(migrate(database, directory)).rejects.toThrow('the functions of schema things were changed');
    expect(await migrate(database, directory, { overwriteFunctions: true })).toEqual(['functions']);
    expect(await missingMigrations(database, directory)).toEqual([]);
    expect(await countWith('count_things()')).toBe('1');
    await expect(database.pool.query('insert into things values (-1)')).rejects.toThrow('n is negative');
  });
});

describe('versions of the functions', () => {
  const COUNT = 'count_things';
  const functionFile = (name: string) => path.join(directory, 'functions', `${name}.sql`);
  const returning = (text: string) =>
    `create or replace function ${COUNT}() returns bigint language sql stable as $$ select ${text}::bigint $$`;
  const counted = async () => (await database.pool.query<{ n: string }>(`select ${COUNT}() as n`)).rows[0]!.n;
  /** Makes the directory that of a version, in which the function returns this. */
  const become = (version: number) => writeFile(functionFile(COUNT), returning(String(version)));

  beforeEach(async () => {
    for (const version of [1, 2]) {
      await become(version);
      await migrate(database, directory);
    }
  });

  it('are not downgraded by an older version’s migration', async () => {
    await become(1);
    await expect(migrate(database, directory)).rejects.toThrow(
      /functions of schema things are those of a newer version.*--allow-older-functions/s,
    );
    expect(await counted()).toBe('2');
  });

  it('are downgraded when that is asked for, and upgraded again without it', async () => {
    await become(1);
    expect(await migrate(database, directory, { allowOlderFunctions: true })).toEqual(['functions']);
    expect(await counted()).toBe('1');
    expect(await migrate(database, directory)).toEqual([]);
    await become(2);
    expect(await missingMigrations(database, directory)).toEqual(['functions']);
    expect(await migrate(database, directory)).toEqual(['functions']);
    expect(await counted()).toBe('2');
  });

  it('are enough for an older version that was applied before, and for none that was not', async () => {
    await become(1);
    expect(await missingMigrations(database, directory)).toEqual([]);
    await become(3);
    expect(await missingMigrations(database, directory)).toEqual(['functions']);
  });

  it('are not enough for an older version when they were edited', async () => {
    await become(1);
    await database.pool.query(returning('7'));
    expect(await missingMigrations(database, directory)).toEqual(['functions (changed in the database)']);
    await expect(migrate(database, directory)).rejects.toThrow('were changed in the database');
    await database.pool.query(`update schema_functions set catalog_digest = 'another'`);
    expect(await missingMigrations(database, directory)).toEqual(['functions (changed in the database)']);
  });

  it('stay those of the newer version when an older one brings a migration of its own', async () => {
    await become(1);
    await writeFile(fileOf('0003_more'), 'insert into things values (3)');
    await expect(migrate(database, directory)).rejects.toThrow('--allow-older-functions');
    expect(await countThings()).toBe(1);
  });
});

describe('triggers of a schema', () => {
  const triggerFile = (table: string) => path.join(directory, 'triggers', `${table}.sql`);
  const triggerIds = async () => (await database.pool.query('select oid from pg_trigger where not tgisinternal')).rows;
  const CHANGED = `create trigger things_are_not_negative before insert on things
    for each row execute function reject_negatives();`;
  let writer: pg.PoolClient;

  beforeEach(async () => {
    await migrate(database, directory);
    writer = await database.pool.connect();
    await writer.query('begin; insert into things values (5)');
  });

  afterEach(() => writer.release(true));

  it('stay untouched when a function changes: the migration waits for no writer', async () => {
    const before = await triggerIds();
    const file = path.join(directory, 'functions', 'reject_negatives.sql');
    await writeFile(file, (await readFile(file, 'utf8')).replace('n is negative', 'n is below zero'));
    expect(await migrate(database, directory, { lockTimeoutMs: 50, abandonAfterMs: 0 })).toEqual(['functions']);
    expect(await triggerIds()).toEqual(before);
    await expect(database.pool.query('insert into things values (-1)')).rejects.toThrow('n is below zero');
  });

  it('are changed in a moment without a writer, and waited for in short tries', async () => {
    await writeFile(triggerFile('things'), CHANGED);
    const waits: string[] = [];
    const onWait = (message: string) => {
      waits.push(message);
      writer.query('commit').catch(() => undefined);
    };
    expect(await migrate(database, directory, { lockTimeoutMs: 50, retryMs: 10, onWait })).toEqual(['functions']);
    expect(waits).toHaveLength(1);
    expect(waits[0]).toContain('canceling statement due to lock timeout');
    await database.pool.query('update things set n = -1');
  });

  it('stay as they were when the table is never free, and the error says why', async () => {
    await writeFile(triggerFile('things'), CHANGED);
    const migrating = migrate(database, directory, { lockTimeoutMs: 20, retryMs: 10, abandonAfterMs: 100 });
    await expect(migrating).rejects.toThrow(
      /functions of schema things.*did not get its locks within.*end the transactions/s,
    );
    await writer.query('commit');
    await expect(database.pool.query('update things set n = -1')).rejects.toThrow('n is negative');
  });

  it('are made again when they differ from their file, also in what a migration did to them', async () => {
    await writer.query('commit');
    await writeFile(fileOf('0003_switch_off'), 'alter table things disable trigger things_are_not_negative');
    expect(await migrate(database, directory)).toEqual(['0003_switch_off', 'functions']);
    await expect(database.pool.query('insert into things values (-1)')).rejects.toThrow('n is negative');
  });

  it('belong to the table that their file is named after', async () => {
    await writer.query('commit');
    await writeFile(
      triggerFile('others'),
      'create trigger again before delete on things for each row execute function reject_negatives()',
    );
    await expect(migrate(database, directory)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('trigger file others makes no trigger on a table of that name') },
    });
  });
});
