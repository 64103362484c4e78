import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { openTestDatabase, type TestConnection, type TestDatabase } from './test-database.js';

async function rowsOf(connection: TestConnection, sql: string): Promise<unknown[]> {
  const client = new pg.Client(connection);
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
    expect(await rowsOf(first.connection, 'SHOW server_version_num')).toEqual([
      { server_version_num: expect.stringMatching(/^18\d{4}$/) },
    ]);
  });

  it('shares nothing with another one', async () => {
    await rowsOf(first.connection, 'CREATE TABLE mine (id int)');
    await expect(rowsOf(second.connection, 'SELECT * FROM mine')).rejects.toThrow('does not exist');
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
    expect(await rowsOf(first.connection, `SELECT FROM pg_database WHERE datname = '${database}'`)).toEqual([]);
  });

  it('has an owner per schema who reads no other schema', async () => {
    const third = await openTestDatabase(['wallet', 'policy']);
    await rowsOf(third.schemas.wallet, 'CREATE TABLE mine (id int)');
    expect(await rowsOf(third.schemas.wallet, 'SELECT * FROM wallet.mine')).toEqual([]);
    await expect(rowsOf(third.schemas.policy, 'SELECT * FROM wallet.mine')).rejects.toThrow('permission denied');
    await third.close();
    const leftRoles = `SELECT FROM pg_roles WHERE rolname ^@ '${third.connection.database}'`;
    expect(await rowsOf(first.connection, leftRoles)).toEqual([]);
  });

  it('opens quickly when the server runs', async () => {
    const startedAtMs = performance.now();
    const third = await openTestDatabase();
    const tookMs = performance.now() - startedAtMs;
    await third.close();
    expect(tookMs).toBeLessThan(2_000);
  });
});
