import { auditV1 } from '@agent-wallet/contracts';
import { newId, Secret } from '@agent-wallet/kernel';
import { type Database, migrate, openDatabase } from '@agent-wallet/platform';
import { silent } from '@agent-wallet/platform/testing';
import { openTestDatabase } from '@agent-wallet/testing';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { runAudit } from '../src/audit/run-audit.js';

const HISTORY = path.join(import.meta.dirname, '../../history/db');

const NOTHING = "decode(repeat('00', 32), 'hex')";

/** Adds an event to the log and to the chain of its agent. */
const CHAIN_EVENT = `
  insert into events (position, event_id, agent_id, occurred_at, agent_seq, previous_hash, hash, payload)
  select (select count(*) from events) + 1, $1, $2, timestamptz 'epoch' + $3 * interval '1 ms', seq, previous,
    sha256(convert_to(E'agentwallet/event/v1\\n', 'UTF8') || previous || int8send(seq) || uuid_send($2) || uuid_send($1) || $4),
    $4
  from (
    select count(*) + 1 as seq,
      coalesce((array_agg(hash order by agent_seq desc))[1], ${NOTHING}) as previous
    from events where agent_id = $2) as before`;

/** The whole log as the first batch. */
const CLOSE_BATCH = `
  insert into log_batches (last_position, hash)
  select max(position), sha256(convert_to(E'agentwallet/log/v1\\n', 'UTF8') || ${NOTHING} || int8send(1)
    || int4send(count(*)::int) || string_agg(hash, ''::bytea order by position))
  from events`;

/** A log of 50 events of three agents, chained in SQL: nothing of the code that checks it. */
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
  const database = openDatabase({ connection, schema: 'history', logger: silent });
  const agents = [newId(), newId(), newId()];
  const ids = Array.from({ length: 50 }, () => newId());
  await migrate(database, HISTORY);
  for (const [n, eventId] of ids.entries()) await insertEvent(database, agents[n % agents.length]!, eventId, n);
  await database.pool.query(CLOSE_BATCH);
  await database.close();
  const superuser = new pg.Client(test.connection);
  await superuser.connect();
  await superuser.query('set search_path = history');
  for (const table of ['events', 'log_batches', 'checkpoints'])
    await superuser.query(`alter table ${table} disable trigger user`);
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

async function insertEvent(database: Database, agentId: string, eventId: string, n: number): Promise<void> {
  const occurredAtMs = 1_700_000_000_000n + BigInt(n);
  const payload = auditV1.AuditEvent.encode({
    ...{ eventId, agentId, occurredAtMs, source: 'wallet', requestId: '', traceparent: '' },
    fact: { $case: 'sessionEnded', value: { sessionId: newId() } },
  }).finish();
  await database.pool.query(CHAIN_EVENT, [eventId, agentId, occurredAtMs, payload]);
}
