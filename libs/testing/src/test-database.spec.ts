import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { openTestDatabase, type TestDatabase } from './test-database.js';

async function rowsOf(database: TestDatabase, sql: string): Promise<unknown[]> {
  const client = new pg.Client(database.connection);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('a test database', () => {
  let first: TestDatabase;
  let second: TestDatabase;
  beforeAll(async () => {
    [first, second] = await Promise.all([openTestDatabase(), openTestDatabase()]);
  });
  afterAll(async () => {
    await first.close();
  });

  it('is a real Postgres 18', async () => {
    expect(await rowsOf(first, 'SHOW server_version_num')).toEqual([
      { server_version_num: expect.stringMatching(/^18\d{4}$/) },
    ]);
  });

  it('shares nothing with another one', async () => {
    await rowsOf(first, 'CREATE TABLE mine (id int)');
    await expect(rowsOf(second, 'SELECT * FROM mine')).rejects.toThrow('does not exist');
  });

  it('refuses a wrong password', async () => {
    const client = new pg.Client({ ...first.connection, password: 'guess' });
    await expect(client.connect()).rejects.toThrow('password authentication failed');
  });

  it('is gone when closed, even with a session left open in it', async () => {
    const lingering = new pg.Client(second.connection);
    const ended = new Promise((resolve) => lingering.on('error', resolve));
    await lingering.connect();
    const { database } = second.connection;
    await second.close();
    await ended;
    expect(await rowsOf(first, `SELECT FROM pg_database WHERE datname = '${database}'`)).toEqual([]);
  });

  it('opens quickly when the server runs', async () => {
    const startedAtMs = performance.now();
    const third = await openTestDatabase();
    const tookMs = performance.now() - startedAtMs;
    await third.close();
    expect(tookMs).toBeLessThan(2_000);
  });
});
