import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { openTestCopy, openTestDatabase, type TestConnection, type TestDatabase } from './test-database.js';

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

  it('starts no second server when one runs', async () => {
    const third = await openTestDatabase();
    await third.close();
    const { host, port } = first.connection;
    expect(third.connection).toMatchObject({ host, port });
  });
});

describe('a copy of a template', () => {
  const options = { schemas: ['wallet', 'history'], ownedApart: ['history'] } as const;
  const key = randomUUID().replaceAll('-', '').slice(0, 16);
  let fillCount = 0;
  const template = {
    key,
    fill: async ({ schemas }: { schemas: Record<'wallet' | 'history_owner', TestConnection> }) => {
      fillCount += 1;
      await rowsOf(schemas.wallet, 'CREATE TABLE mine (id int)');
      await rowsOf(schemas.history_owner, 'CREATE TABLE kept (id int); REVOKE UPDATE ON kept FROM test_shared_history');
    },
  };
  const open = () => openTestCopy<'wallet' | 'history', 'history'>(options, template);
  let copies: Array<Awaited<ReturnType<typeof open>>>;
  beforeAll(async () => {
    copies = await Promise.all([open(), open(), open()]);
  });
  afterAll(() => Promise.all(copies.map((copy) => copy.close())));

  it('is filled once, however many are opened at a time', () => {
    expect(fillCount).toBe(1);
  });

  it('has what the template has, in the search path of its roles, and shares no row', async () => {
    const [first, second] = copies;
    await rowsOf(first!.schemas.wallet, 'INSERT INTO mine VALUES (1)');
    expect(await rowsOf(first!.schemas.wallet, 'SELECT * FROM mine')).toEqual([{ id: 1 }]);
    expect(await rowsOf(second!.schemas.wallet, 'SELECT * FROM mine')).toEqual([]);
  });

  it('has the rights of the template: a role sees its own schema alone, and owns nothing that is owned apart', async () => {
    const { schemas } = copies[0]!;
    await rowsOf(schemas.history, 'INSERT INTO kept VALUES (1)');
    await expect(rowsOf(schemas.history, 'UPDATE kept SET id = 2')).rejects.toThrow('permission denied');
    await expect(rowsOf(schemas.wallet, 'SELECT * FROM history.kept')).rejects.toThrow('permission denied');
  });

  it('is filled again when the first filling failed', async () => {
    const failing = { ...template, key: `${key.slice(0, 8)}failing` };
    const fill = () => Promise.reject(new Error('half done'));
    await expect(openTestCopy<'wallet' | 'history', 'history'>(options, { ...failing, fill })).rejects.toThrow(
      'half done',
    );
    const copy = await openTestCopy<'wallet' | 'history', 'history'>(options, failing);
    expect(await rowsOf(copy.schemas.wallet, 'SELECT * FROM mine')).toEqual([]);
    await copy.close();
  });
});
