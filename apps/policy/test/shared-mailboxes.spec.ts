import { newId } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { PostgresReservationStore } from '../src/adapters/postgres-reservation-store.js';
import { DEFAULT_POLICY } from '../src/domain/policy.js';
import type { SponsorshipBounds } from '../src/domain/sponsorship.js';
import type { PolicyDatabase } from './database.js';
import { end, granted, newAgent, openStore, type ReservationsUnderTest, sponsoredRequest } from './store-support.js';

const BOUNDS: SponsorshipBounds = {
  maxLamportsPerTransaction: 5_000_000n,
  maxLamportsPerAgentDay: 10_000_000n,
  maxLamportsPerDay: 1_000_000_000n,
  maxAccountsPerAgentDay: 3,
};
const RENT_AND_FEE = 2_049_280n;

let opened: ReservationsUnderTest;
let database: PolicyDatabase;
let store: PostgresReservationStore;
let mailboxId: Buffer;
let agents: string[];

beforeAll(async () => {
  opened = await openStore({ sponsorship: BOUNDS });
  ({ database, store } = opened);
});
afterAll(() => opened.close());
beforeEach(async () => {
  mailboxId = randomBytes(32);
  agents = await Promise.all([0, 1, 2].map(() => newAgent(database, { mailboxId })));
});

const opening = (agentId: string) => sponsoredRequest(agentId, RENT_AND_FEE, true);

async function verdictOf(asked: ReturnType<typeof sponsoredRequest>) {
  const dryRun = await store.dryRun(asked);
  const decided = await store.reserve(asked);
  expect(dryRun!.verdict).toBe(decided!.verdict);
  return decided!.verdict;
}

describe('the agents of one mailbox', () => {
  it('get as many accounts of recipients together as one agent gets', async () => {
    for (const each of agents) expect(await verdictOf(opening(each))).toBe('granted');
    for (const each of agents) expect(await verdictOf(opening(each))).toBe('sponsored_accounts_per_agent_day');
    const late = await newAgent(database, { mailboxId });
    expect(await verdictOf(opening(late))).toBe('sponsored_accounts_per_agent_day');
  });

  it('get as many lamports together as one agent gets, and not one more', async () => {
    await end(store, sponsoredRequest(agents[0]!, 5_000_000n));
    await end(store, sponsoredRequest(agents[1]!, 3_000_000n), 'failed');
    expect(await verdictOf(sponsoredRequest(agents[2]!, 2_000_001n))).toBe('sponsored_per_agent_day');
    expect(await verdictOf(sponsoredRequest(agents[2]!, 2_000_000n))).toBe('granted');
    for (const each of agents) expect(await verdictOf(sponsoredRequest(each, 1n))).toBe('sponsored_per_agent_day');
  });

  it('get back what expired', async () => {
    for (let n = 0; n < 6; n += 1) await end(store, opening(agents[n % 3]!), 'expired');
    expect(await verdictOf(opening(agents[0]!))).toBe('granted');
  });

  it('take nothing from agents of other mailboxes, or of none that is known', async () => {
    for (const each of agents) await store.reserve(opening(each));
    const [other, unknown, alsoUnknown] = await Promise.all([
      newAgent(database, { mailboxId: randomBytes(32) }),
      newAgent(database),
      newAgent(database),
    ]);
    for (let n = 0; n < 3; n += 1) expect(await verdictOf(opening(unknown))).toBe('granted');
    expect(await verdictOf(opening(other))).toBe('granted');
    expect(await verdictOf(opening(alsoUnknown))).toBe('granted');
  });

  it('never pass a bound at once, over two replicas', async () => {
    const asked = Array.from({ length: 60 }, (_, n) => sponsoredRequest(agents[n % 3]!, 300_000n, n % 2 === 0));
    const decisions = await Promise.all(asked.map((each, n) => (n % 4 < 2 ? store : opened.replica).reserve(each)));
    const accounts = decisions.filter((each, n) => each?.verdict === 'granted' && asked[n]!.sponsorship!.makesAccount);
    expect(accounts).toHaveLength(3);
    expect(granted(decisions)).toBe(33); // of 10 million lamports
  });

  it('see what one another has taken when both have waited for the same lock', async () => {
    const holder = await database.policy.pool.connect();
    try {
      await holder.query('begin; select from sponsorship for no key update');
      const decisions = Promise.all([
        store.reserve(sponsoredRequest(agents[0]!, 5_000_000n)),
        opened.replica.reserve(sponsoredRequest(agents[1]!, 5_000_000n)),
        opened.replica.reserve(sponsoredRequest(agents[2]!, 1n)),
      ]);
      await eventually(async () => {
        const { rows } = await holder.query<{ waiting: string }>(
          `select count(*) as waiting from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows[0]!.waiting === '3';
      });
      await holder.query('commit');
      expect(granted(await decisions)).toBe(2);
    } finally {
      holder.release();
    }
  });
});

describe('the mailbox of a policy', () => {
  const create = (agentId: string, id: Buffer | undefined) =>
    opened.policies.create(agentId, DEFAULT_POLICY, { namedOwnerId: undefined, mailboxId: id });
  const kept = async (agentId: string) =>
    (
      await database.rows<{ id: Buffer | null }>('select mailbox_id as id from policies where agent_id = $1', agentId)
    )[0]!.id;

  it('is kept by the call that makes the policy, and never changed', async () => {
    const agentId = newId();
    await create(agentId, mailboxId);
    await create(agentId, randomBytes(32));
    await create(agentId, undefined);
    expect(await kept(agentId)).toEqual(mailboxId);
  });

  it('is filled in by the next login where none is known, and what was taken before counts', async () => {
    const agentId = newId();
    await create(agentId, undefined);
    for (let n = 0; n < 3; n += 1) expect(await verdictOf(opening(agentId))).toBe('granted');
    expect(await verdictOf(opening(agents[0]!))).toBe('granted');
    await create(agentId, mailboxId);
    expect(await kept(agentId)).toEqual(mailboxId);
    expect(await verdictOf(opening(agents[0]!))).toBe('sponsored_accounts_per_agent_day');
  });

  it('is one, however many logins there are at once', async () => {
    const agentId = newId();
    await create(agentId, undefined);
    const ids = Array.from({ length: 10 }, () => randomBytes(32));
    await Promise.all(ids.map((id) => create(agentId, id)));
    const first = await kept(agentId);
    expect(ids).toContainEqual(first);
    await create(agentId, randomBytes(32));
    expect(await kept(agentId)).toEqual(first);
  });
});
