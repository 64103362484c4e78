import { auditV1 } from '@agent-wallet/contracts';
import { newId, Secret } from '@agent-wallet/kernel';
import { createLogger, type Database, migrate, openDatabase } from '@agent-wallet/platform';
import { openTestDatabase } from '@agent-wallet/testing';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { runAudit } from '../src/audit/run-audit.js';

const MIGRATIONS = path.join(import.meta.dirname, '..', '..', 'history', 'prisma', 'migrations');

/** A log of 50 events of three agents that history's migration chained, in SQL: nothing of the code that checks it. */
export interface ChainedLog {
  /** Of the events, in their order. */
  readonly ids: readonly string[];
  readonly agents: readonly string[];
  /** A folder for files. */
  readonly directory: string;
  /** Runs the program's command line on it. */
  audit(...args: string[]): Promise<{ readonly code: number; readonly lines: readonly string[] }>;
  /** What only a superuser can do: no trigger of the log runs. */
  tamper<Row extends object>(sql: string, ...values: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export async function openChainedLog(): Promise<ChainedLog> {
  const test = await openTestDatabase(['history']);
  const directory = await mkdtemp(path.join(os.tmpdir(), 'audit-'));
  const login = test.schemas.history;
  const connection = { ...login, password: new Secret(login.password) };
  const database = openDatabase({ connection, schema: 'history', logger: createLogger('test', 'silent') });
  const agents = [newId(), newId(), newId()];
  const ids = Array.from({ length: 50 }, () => newId());
  await migrate(database, await firstMigrations(directory));
  await insertEvents(database, agents, ids);
  await migrate(database, MIGRATIONS);
  await database.close();
  const superuser = new pg.Client(test.connection);
  await superuser.connect();
  await superuser.query("set session_replication_role = 'replica'; set search_path = history");
  const { host, port, user, password, database: name } = login;
  const environment = { DATABASE_URL: `postgres://${user}:${password}@${host}:${port}/${name}` };
  return {
    ...{ ids, agents, directory },
    audit: async (...args) => {
      const lines: string[] = [];
      return { code: await runAudit(args, environment, (line) => lines.push(line)), lines };
    },
    tamper: async (sql, ...values) => (await superuser.query(sql, values)).rows,
    close: async () => {
      await superuser.end();
      await rm(directory, { recursive: true });
      await test.close();
    },
  };
}

/** The migrations from before there was a chain. */
async function firstMigrations(directory: string): Promise<string> {
  const folder = path.join(directory, 'migrations');
  for (const name of (await readdir(MIGRATIONS)).sort().slice(0, 2))
    await cp(path.join(MIGRATIONS, name), path.join(folder, name), { recursive: true });
  return folder;
}

async function insertEvents(database: Database, agents: readonly string[], ids: readonly string[]): Promise<void> {
  for (const [n, eventId] of ids.entries()) {
    const [agentId, occurredAtMs] = [agents[n % agents.length]!, 1_700_000_000_000n + BigInt(n)];
    const payload = auditV1.AuditEvent.encode({
      ...{ eventId, agentId, occurredAtMs, source: 'wallet', requestId: '', traceparent: '' },
      fact: { $case: 'sessionEnded', value: { sessionId: newId() } },
    }).finish();
    await database.pool.query(
      "insert into events (event_id, agent_id, occurred_at, payload) values ($1, $2, timestamptz 'epoch' + $3 * interval '1 ms', $4)",
      [eventId, agentId, occurredAtMs, payload],
    );
  }
}
