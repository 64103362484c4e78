import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '../src/index.js';
import { openSchema, openTestDatabase, type TestDatabase } from './support.js';

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

async function terminate(pid: number): Promise<void> {
  await database.pool.query('select pg_terminate_backend($1)', [pid]);
}

describe('a database whose connections are lost', () => {
  it('fails the transaction under way, and serves the next one', async () => {
    const lost = database.transaction(async (tx) => {
      const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
      await terminate(rows[0]!.pid);
      await new Promise((resolve) => setImmediate(resolve));
      await tx.query('select 1');
    });
    await expect(lost).rejects.toThrow(/terminat|connection|ended/i);
    expect((await database.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('rolls back what a failed transaction wrote', async () => {
    await database.pool.query('create table things (n int)');
    const failed = database.transaction(async (tx) => {
      await tx.query('insert into things values (1)');
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect((await database.pool.query('select * from things')).rows).toEqual([]);
  });
});

describe('idle connections', () => {
  const pidOfOne = async () =>
    (await database.pool.query<{ pid: number }>('select pg_backend_pid() as pid, pg_sleep(0.1)')).rows[0]!.pid;

  it('are closed soon after a burst, but for one that stays for the next question', async () => {
    const pids = await Promise.all(Array.from({ length: 5 }, pidOfOne));
    expect(new Set(pids).size).toBe(5);
    await eventually(() => database.pool.totalCount === 1);
    expect(pids).toContain(await pidOfOne());
  });
});
