import { createOutbox } from '@agent-wallet/events';
import { systemClock } from '@agent-wallet/kernel';
import { PagesRead } from '@agent-wallet/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dueApprovals } from '../src/adapters/owners/later-effects.js';
import { PostgresApprovalStore } from '../src/adapters/owners/postgres-approval-store.js';
import { PostgresHeadLog } from '../src/adapters/postgres-head-log.js';
import { PostgresOwnerStore } from '../src/adapters/owners/postgres-owner-store.js';
import { PostgresReservationStore } from '../src/adapters/postgres-reservation-store.js';
import { openPolicyDatabase, type PolicyDatabase } from './database.js';

// A round of each background loop, over tables of two sizes.

const MANY = 20_000;
/** Pages that an index may be deeper. */
const DEEPER = 8;

let database: PolicyDatabase;
beforeAll(async () => {
  database = await openPolicyDatabase();
});
afterAll(() => database.close());

/** Runs a round of each loop once, and returns the pages that each has read. */
async function pagesOfLoops(): Promise<Record<string, number>> {
  await database.rows('vacuum analyze');
  const pages = new PagesRead(database.policy.pool);
  const counted = {
    schema: 'policy',
    pool: pages,
    transaction: (work: (tx: PagesRead) => Promise<unknown>) => work(pages),
  } as never;
  const outbox = createOutbox('policy', systemClock);
  const approvals = new PostgresApprovalStore(counted, outbox);
  const loops = {
    reconcile: () => new PostgresReservationStore(counted).claimDue(10),
    heads: () => new PostgresHeadLog(counted).observe(async () => ({ blockHeight: 1, slot: 1 })),
    expire: () => approvals.expire(),
    forget: () => approvals.forgetWithoutEffect(),
    effects: () => dueApprovals(pages as never, { after: undefined, limit: 10 }),
    challenges: () => new PostgresOwnerStore(counted, outbox).removeExpiredChallenges(),
  };
  const read: Record<string, number> = {};
  for (const [name, round] of Object.entries(loops)) {
    await round();
    read[name] = pages.take();
  }
  return read;
}

it('a round of each loop reads as much with 20,000 rows that are over or not due as with none', async () => {
  const few = await pagesOfLoops();
  await database.rows(
    `insert into reservations (operation_id, step, attempt, agent_id, intent, message_hash, value_usd_micros, state, created_at,
       settled_at, next_check_at)
     select gen_random_uuid(), 1, 1, gen_random_uuid(), '', '', 1, 'settled', policy.now(), policy.now(), policy.now()
     from generate_series(1, $1)`,
    MANY,
  );
  await database.rows(
    `insert into approvals (id, kind, agent_id, owner_id, document, document_hash, threshold, state, asked_at, expires_at,
       decided_at)
     select gen_random_uuid(), 'policy', gen_random_uuid(), gen_random_uuid(), '', decode(md5(n || state), 'hex'), 1,
       state::approval_state, policy.now(), policy.now() + interval '1 day', policy.now()
     from generate_series(1, $1) n, unnest('{pending,applied,expired,used}'::text[]) state`,
    MANY / 2,
  );
  await database.rows(
    `insert into votes select id, owner_id, '', '', '', '', policy.now() from approvals where state = 'used'`,
  );
  await database.rows(
    `insert into chain_heads select n, n, policy.now(), policy.now() from generate_series(2, $1) n`,
    MANY,
  );
  await database.rows(
    `insert into challenges select decode(md5(n::text), 'hex'), 'login', null, policy.now() + interval '1 hour'
     from generate_series(1, $1) n`,
    MANY,
  );
  await database.rows(`insert into used_logins select challenge, expires_at from challenges`);
  // Twice: the server's own analyze of the same moment may leave the first plans without statistics.
  const [first, second] = [await pagesOfLoops(), await pagesOfLoops()];
  const reads = (name: string) => Math.min(first[name]!, second[name]!);
  expect(Object.keys(first).filter((name) => reads(name) > few[name]! + DEEPER)).toEqual([]);
});
