import { auditV1 } from '@agent-wallet/contracts';
import { newId, Secret } from '@agent-wallet/kernel';
import { createLogger, migrate, openDatabase } from '@agent-wallet/platform';
import { openTestDatabase, type TestDatabase } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { runAudit } from '../src/audit/run-audit.js';

const MIGRATIONS = path.join(import.meta.dirname, '..', '..', 'history', 'prisma', 'migrations');

let test: TestDatabase<'history'>;
let directory: string;
let ids: string[];
const lines: string[] = [];

/** A log that history's migration chained, in SQL: nothing of the code that checks it. */
beforeAll(async () => {
  test = await openTestDatabase(['history']);
  directory = await mkdtemp(path.join(os.tmpdir(), 'audit-'));
  const login = test.schemas.history;
  const connection = { ...login, password: new Secret(login.password) };
  const database = openDatabase({ connection, schema: 'history', logger: createLogger('test', 'silent') });
  const first = path.join(directory, 'migrations');
  for (const name of (await readdir(MIGRATIONS)).sort().slice(0, 2))
    await cp(path.join(MIGRATIONS, name), path.join(first, name), { recursive: true });
  await migrate(database, first);
  const agents = [newId(), newId(), newId()];
  ids = Array.from({ length: 50 }, () => newId());
  for (const [n, eventId] of ids.entries()) {
    const [agentId, occurredAtMs] = [agents[n % 3]!, 1_700_000_000_000n + BigInt(n)];
    const payload = auditV1.AuditEvent.encode({
      ...{ eventId, agentId, occurredAtMs, source: 'wallet', requestId: '', traceparent: '' },
      fact: { $case: 'sessionEnded', value: { sessionId: newId() } },
    }).finish();
    await database.pool.query(
      "insert into events (event_id, agent_id, occurred_at, payload) values ($1, $2, timestamptz 'epoch' + $3 * interval '1 ms', $4)",
      [eventId, agentId, occurredAtMs, payload],
    );
  }
  await migrate(database, MIGRATIONS);
  await database.close();
});
afterAll(async () => {
  await rm(directory, { recursive: true });
  await test.close();
});

const url = () => {
  const { host, port, user, password, database } = test.schemas.history;
  return `postgres://${user}:${password}@${host}:${port}/${database}`;
};
const audit = (...args: string[]) => {
  lines.length = 0;
  return runAudit(args, { DATABASE_URL: url() }, (line) => lines.push(line));
};
/** What only a superuser can do. */
async function tamper(sql: string): Promise<void> {
  const client = new pg.Client(test.connection);
  await client.connect();
  await client.query(`set session_replication_role = 'replica'; set search_path = history; ${sql}`);
  await client.end();
}

describe('npm run audit:verify', () => {
  it('passes a log as it was written, from the database and from an export', async () => {
    const file = path.join(directory, 'log.ndjson');
    expect([await audit('--export', file), lines]).toEqual([
      0,
      [expect.stringMatching(/^as it was written: 50 events of 3/)],
    ]);
    expect(await audit('--from', file)).toBe(0);
    expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(50 + 3 + 1 + 1);
  });

  it('explains itself, and says what keeps it from checking', async () => {
    expect([await audit('--help'), lines[0]]).toEqual([0, expect.stringContaining('Usage: npm run audit:verify')]);
    expect(await audit('--nonsense')).toBe(2);
    expect(await audit('--from', path.join(directory, 'nothing'))).toBe(2);
    expect(await runAudit([], {}, () => undefined)).toBe(2);
  });

  it('names what a superuser has altered, and what he has deleted', async () => {
    await tamper(`update events set payload = set_byte(payload, 70, 65) where position = 20`);
    expect([await audit(), lines[0]]).toEqual([
      1,
      expect.stringContaining(`ALTERED event: position 20, event ${ids[19]}`),
    ]);
    await tamper(`delete from events where position = 7`);
    expect([await audit(), lines[0]]).toEqual([1, expect.stringContaining('MISSING event: position 7')]);
  });
});
