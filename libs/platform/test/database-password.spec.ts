import { Secret } from '@agent-wallet/kernel';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { type Database, type Logger, openDatabase } from '../src/index.js';
import { openTestDatabase, silent, type TestDatabase } from './support.js';

let test: TestDatabase<'things'>;
let admin: pg.Client;
let directory: string;
let database: Database;
let said: string[];

const passwordPath = () => path.join(directory, 'password');

async function setPassword(password: string): Promise<void> {
  const { user } = test.schemas.things;
  await admin.query(`alter role ${pg.escapeIdentifier(user)} password ${pg.escapeLiteral(password)}`);
}

async function ask(client: pg.Pool | pg.PoolClient): Promise<unknown> {
  return (await client.query<{ one: number }>('select 1 as one')).rows[0]?.one;
}

beforeEach(async () => {
  test = await openTestDatabase(['things']);
  admin = new pg.Client(test.connection);
  await admin.connect();
  directory = await mkdtemp(path.join(tmpdir(), 'password-'));
  await setPassword('the first');
  await writeFile(passwordPath(), 'the first\n');
  said = [];
  const logger = { ...silent, error: ({ event }: { event: string }) => said.push(event) } as unknown as Logger;
  const connection = { ...test.schemas.things, password: new Secret('not this one'), passwordPath: passwordPath() };
  database = openDatabase({ connection, schema: 'things', logger, maxConnections: 2 });
});

afterEach(async () => {
  await database.close();
  await admin.end();
  await test.close();
  await rm(directory, { recursive: true });
});

describe('a password in a file', () => {
  it('is read for every connection, so that it may change while connections are in use', async () => {
    const inUse = await database.pool.connect();
    await setPassword('the second');
    expect(await ask(inUse)).toBe(1);
    await expect(ask(database.pool)).rejects.toThrow('password authentication failed');
    await writeFile(passwordPath(), 'the second');
    expect(await ask(database.pool)).toBe(1);
    inUse.release();
  });

  it('that cannot be read leaves the last one in use, and the log says so', async () => {
    await ask(database.pool);
    await rm(passwordPath());
    const held = await database.pool.connect();
    expect(await ask(database.pool)).toBe(1);
    held.release();
    expect(said).toEqual(['database_password.read_failed']);
  });
});
