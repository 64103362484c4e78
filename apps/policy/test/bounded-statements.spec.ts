import { PagesRead } from '@agent-wallet/testing';
import { newId } from '@agent-wallet/kernel';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { END, STATUS } from '../src/adapters/recovery-statements.js';
import { openPolicyDatabase, type PolicyDatabase } from './database.js';
import { newAgent } from './store-support.js';

// Statements that run under a lock or in a loop, over tables of two sizes.

const MANY = 20_000;
/** Pages that an index may be deeper. */
const DEEPER = 4;

let database: PolicyDatabase;
beforeAll(async () => {
  database = await openPolicyDatabase();
});
afterAll(() => database.close());

/** Adds settled operations of a token, and its sums as their trigger keeps them. */
async function addOperations(agentId: string, tokenId: string, count: number, age: string): Promise<void> {
  await database.rows('alter table reservations disable trigger user');
  await database.rows(
    `insert into reservations (operation_id, step, attempt, agent_id, intent, message_hash, value_usd_micros, state, created_at,
       settled_at, next_check_at, token_id)
     select gen_random_uuid(), 1, 1, $1, '', '', 1, 'settled', policy.now(), policy.now() - $4::interval, 'infinity', $2
     from generate_series(1, $3)`,
    ...[agentId, tokenId, count, age],
  );
  await database.rows('alter table reservations enable trigger user');
  await database.rows(
    `update tokens set used_usd_micros = used_usd_micros + $2, settled_since = policy.window_start(policy.now()),
       settled_usd_micros = settled_usd_micros + case when $3::interval < interval '24 hours' then $2::numeric else 0 end
     where id = $1`,
    ...[tokenId, count, age],
  );
  await database.rows('analyze reservations');
}

async function pagesOf(sql: string, ...values: unknown[]): Promise<number> {
  const pages = new PagesRead(database.policy.pool);
  await pages.query(sql, values);
  return pages.take();
}

describe('a decision on a request of a token', () => {
  it('reads as much after 20,000 operations as after ten', async () => {
    const [agentId, tokenId] = [await newAgent(database), newId()];
    await database.rows(
      `insert into tokens (id, agent_id, name, scopes, daily_usd_micros, total_usd_micros, created_at, expires_at)
       values ($1, $2, 'A bot', '{transfer}', 1000000, 1000000, policy.now(), policy.now() + interval '1 day')`,
      ...[tokenId, agentId],
    );
    const used = () =>
      pagesOf(
        'select u.* from tokens t, token_used(t, policy.window_start(policy.now()), null) u where t.id = $1',
        tokenId,
      );
    await addOperations(agentId, tokenId, 10, '1 hour');
    const few = await used();
    await addOperations(agentId, tokenId, MANY, '2 hours');
    await addOperations(agentId, tokenId, MANY, '40 days');
    expect(await used()).toBeLessThanOrEqual(few + DEEPER);
    const [sums] = await database.rows<{ today: string; total: string }>(
      'select u.* from tokens t, token_used(t, policy.window_start(policy.now()), null) u where t.id = $1',
      tokenId,
    );
    expect(sums).toEqual({ today: String(MANY + 10), total: String(2 * MANY + 10) });
  });
});

describe('the end of a recovery', () => {
  it('reads as much with 40,000 reservations that moved nothing as with none', async () => {
    const end = () => pagesOf(END, -1);
    const frozen = () => pagesOf('select (select has_moved from payouts)');
    expect(await end()).toBeLessThanOrEqual(DEEPER);
    expect(await frozen()).toBeLessThanOrEqual(DEEPER);
    expect(END).not.toContain('from reservations');
  });
});

describe('the recovery status that services poll', () => {
  it('reads as much with 20,000 wallets to scan as with none', async () => {
    const poll = () => pagesOf(STATUS, false);
    const few = await poll();
    await database.rows(
      `insert into recovery_scans (address, due_at) select n::text, case when n % 2 = 0 then policy.now() end
       from generate_series(1, $1) n`,
      MANY,
    );
    await database.rows('analyze recovery_scans');
    expect(await poll()).toBeLessThanOrEqual(few + DEEPER);
  });

  it('reads as much with 20,000 counted transactions as with none, and names a frozen agent once', async () => {
    const agentId = await newAgent(database);
    await database.rows(
      `insert into freezes (agent_id, source, operator, reason, since)
       select $1, source, 'o', 'r', policy.now() from unnest('{operator,owner}'::text[]) source`,
      agentId,
    );
    await database.rows(`insert into recoveries (reason, started_at, since_slot, since, ended_at)
      values ('r', policy.now(), 0, policy.now(), policy.now())`);
    const few = await pagesOf(STATUS, false);
    await database.rows(
      `insert into recovered_transactions (signature, recovery_id, agent_id, message_hash, slot, value_usd_micros)
       select n::text, (select max(id) from recoveries), case when n = 1 then $2::uuid else gen_random_uuid() end, '', 1, 0
       from generate_series(1, $1) n`,
      ...[MANY, agentId],
    );
    await database.rows('analyze');
    expect(await pagesOf(STATUS, false)).toBeLessThanOrEqual(few + 2 * DEEPER);
    const [status] = await database.rows<{ held_agents: string[] }>(STATUS, false);
    expect(status?.held_agents).toEqual([agentId]);
  });
});
