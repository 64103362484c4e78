import { silent } from '@agent-wallet/platform/testing';
import { eventually } from '@agent-wallet/testing';
import { execFileSync } from 'node:child_process';
import { appendFileSync, copyFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createOutbox } from '@agent-wallet/events';
import { startEmbeddedPostgres } from '@agent-wallet/embedded';
import { systemClock } from '@agent-wallet/kernel';
import { type Database, migrate, openDatabase, type PostgresConnection } from '@agent-wallet/platform';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PostgresRecoveryStore } from '../src/adapters/postgres-recovery-store.js';
import { policyMigrations } from '../src/index.js';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'identity-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Runs a server on a folder for as long as something takes. */
async function withServer<Result>(name: string, work: (connection: PostgresConnection) => Promise<Result>) {
  const server = await startEmbeddedPostgres({ dataDir: path.join(directory, name), durability: 'relaxed' });
  return work(server).finally(() => server.stop());
}

async function withPolicy<Result>(connection: PostgresConnection, work: (database: Database) => Promise<Result>) {
  const database = openDatabase({ connection, schema: 'policy', logger: silent });
  return work(database).finally(() => database.close());
}

/** Whether policy finds that this is not the database which it knows. */
const isPutBack = (name: string, database = 'postgres') =>
  withServer(name, (server) =>
    withPolicy({ ...server, database }, async (opened) => {
      // It answers before it has read its log to the end.
      await eventually(async () => (await opened.pool.query('select where not pg_is_in_recovery()')).rowCount === 1);
      return new PostgresRecoveryStore(opened, createOutbox('policy', systemClock)).detect();
    }),
  );

/** What a recovery to a point in time is to a server: the files of a backup, and the end of the log. */
function recoverFrom(name: string, into: string): void {
  const [from, to] = [path.join(directory, name), path.join(directory, into)];
  execFileSync('cp', ['-a', from, to]);
  const cluster = path.join(to, 'cluster');
  appendFileSync(path.join(cluster, 'postgresql.auto.conf'), "restore_command = 'false'\n");
  // With the owner that Postgres asks for.
  copyFileSync(path.join(cluster, 'PG_VERSION'), path.join(cluster, 'recovery.signal'));
}

it('a server that starts again is the known one; one that was recovered, and a copy of the database, are not', async () => {
  await withServer('before', (server) =>
    withPolicy(server, async (database) => {
      await database.pool.query('create schema policy');
      await migrate(database, policyMigrations.directory);
    }),
  );
  expect(await isPutBack('before')).toBe(false);
  recoverFrom('before', 'recovered');
  expect(await isPutBack('recovered')).toBe(true);
  expect(await isPutBack('recovered')).toBe(false);
  await withServer('before', (server) =>
    withPolicy({ ...server, database: 'template1' }, async ({ pool }) => {
      await pool.query('create database copied template postgres');
    }),
  );
  expect(await isPutBack('before', 'copied')).toBe(true);
  expect(await isPutBack('before')).toBe(false);
});
