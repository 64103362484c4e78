import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { type Database, migrate } from '../src/index.js';
import { openSchema, openTestDatabase, type TestDatabase } from './support.js';

const DIRECTORY = path.join(import.meta.dirname, 'fixtures', 'db');

const RAISING = `language plpgsql as 'begin raise exception ''the planted function ran''; end'`;

let test: TestDatabase;
let database: Database;

beforeEach(async () => {
  test = await openTestDatabase();
  database = await openSchema(test, 'things');
});

afterEach(async () => {
  await database.close();
  await test.close();
});

describe('a run of the migrations', () => {
  it.each([
    // Postgres prefers each to the built-in one, for the arguments that the runner passes.
    [
      'function pg_try_advisory_lock',
      `create function things.pg_try_advisory_lock(text, integer) returns boolean ${RAISING}`,
    ],
    ['function hashtext', `create function things.hashtext(varchar) returns integer ${RAISING}`],
    ['function format', `create function things.format(text, text) returns text ${RAISING}`],
    ['operator <>', 'create operator things.<> (leftarg = name, rightarg = text, function = namenetext)'],
  ])('runs nothing in a schema where another role has planted the %s', async (object, sql) => {
    const planter = `planter_${randomUUID().replaceAll('-', '')}`;
    await database.pool.query(`create role ${planter}; grant create, usage on schema things to ${planter}`);
    try {
      await database.pool.query(`begin; set local role ${planter}; ${sql}; commit`);
      await expect(migrate(database, DIRECTORY)).rejects.toThrow(`objects that its owner did not make: ${object}`);
      const { rows } = await database.pool.query(`select to_regclass('things.schema_migrations') as found`);
      expect(rows).toEqual([{ found: null }]);
    } finally {
      await database.pool.query(`drop owned by ${planter}; drop role ${planter}`);
    }
  });

  it('waits for another run for as long as that takes', async () => {
    const holder = await database.pool.connect();
    database.pool.on('connect', (client) => void client.query('set statement_timeout = 200'));
    const hash = `hashtext('things')`;
    await holder.query(`select pg_advisory_lock(7214001, ${hash})`);
    const running = migrate(database, DIRECTORY);
    await eventually(async () => {
      const { rows } = await holder.query(
        `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
         and query like '%pg_try_advisory_lock%'`,
      );
      return rows.length > 0;
    });
    await holder.query('select pg_sleep(0.4)');
    await holder.query(`select pg_advisory_unlock(7214001, ${hash})`);
    holder.release();
    expect(await running).toEqual(['0001_make_a_table', '0002_fill_it', 'functions']);
  });
});
