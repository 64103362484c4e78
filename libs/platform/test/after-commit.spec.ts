import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '@agent-wallet/testing';
import { Secret } from '@agent-wallet/kernel';
import { afterCommit, type Database, openDatabase } from '../src/index.js';
import { silent } from '../src/testing/migrated-database.js';

let test: TestDatabase;
let database: Database;

beforeAll(async () => {
  test = await openTestDatabase();
  const connection = { ...test.connection, password: new Secret(test.connection.password) };
  database = openDatabase({ connection, schema: 'public', logger: silent });
  await database.pool.query('create table facts (n integer)');
});
afterAll(async () => {
  await database.close();
  await test.close();
});

async function factCount(): Promise<number> {
  const { rows } = await database.pool.query<{ n: number }>('select count(*)::integer as n from facts');
  return rows[0]!.n;
}

describe('work after a commit', () => {
  it('is done once, when the commit is done, and is given the pool', async () => {
    const seen: unknown[] = [];
    const counted: Array<Promise<number>> = [];
    const work = (pool: unknown) => {
      seen.push(pool);
      counted.push(factCount());
    };
    await database.transaction(async (tx) => {
      await tx.query('insert into facts values (1)');
      afterCommit(tx, work);
      afterCommit(tx, work);
      expect(seen).toEqual([]);
    });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toBe(database.pool);
    expect(await Promise.all(counted)).toEqual([1]);
  });

  it('is not done after a rollback, nor by the next transaction of the same connection', async () => {
    let done = 0;
    const refused = database.transaction(async (tx) => {
      afterCommit(tx, () => (done += 1));
      throw new Error('no');
    });
    await expect(refused).rejects.toThrow('no');
    await database.transaction(async (tx) => void (await tx.query('select 1')));
    expect(done).toBe(0);
  });

  it('is done at once for what a pool has written', () => {
    let done = 0;
    afterCommit(database.pool, () => (done += 1));
    expect(done).toBe(1);
  });
});
