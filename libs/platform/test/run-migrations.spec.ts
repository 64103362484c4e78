import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import path from 'node:path';
import pg from 'pg';
import { runMigrations } from '../src/postgres/run-migrations.js';
import { openTestDatabase, type TestDatabase } from './support.js';

const directory = path.join(import.meta.dirname, 'fixtures', 'db');

let test: TestDatabase;
let admin: pg.Client;
let role: string;

beforeEach(async () => {
  test = await openTestDatabase();
  admin = new pg.Client(test.connection);
  await admin.connect();
  role = `${test.connection.database}_late`;
  const { host, port, database } = test.connection;
  process.env['DATABASE_URL'] = `postgres://${role}:hush@${host}:${port}/${database}`;
  process.env['LOG_LEVEL'] = 'silent';
});

afterEach(async () => {
  delete process.env['DATABASE_URL'];
  delete process.env['LOG_LEVEL'];
  await admin.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  await admin.end();
  await test.close();
});

describe('the program that migrates', () => {
  it('waits for a role that is made after it was started', async () => {
    const running = runMigrations({ schema: 'things', directory }, undefined, []);
    await admin.query('SELECT pg_sleep(0.3)');
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'hush'; CREATE SCHEMA things AUTHORIZATION ${role}`);
    await running;
    const { rows } = await admin.query<{ n: number }>('SELECT count(*)::int AS n FROM things.things');
    expect(rows[0]?.n).toBe(1);
    expect(process.exitCode).toBeUndefined();
  });

  it.each([
    ['--help', '--allow-older-functions', 'stdout', undefined],
    ['--alow-older-functions', "Unknown option '--alow-older-functions'", 'stderr', 1],
  ] as const)('answers %s with %s', async (argument, text, stream, exitCode) => {
    await admin.query(`CREATE ROLE ${role}`);
    const write = jest.spyOn(process[stream], 'write').mockReturnValue(true);
    try {
      await runMigrations({ schema: 'things', directory }, undefined, [argument]);
      expect(write.mock.calls.join('')).toContain(text);
      expect(process.exitCode).toBe(exitCode);
    } finally {
      write.mockRestore();
      process.exitCode = undefined;
    }
  });
});
