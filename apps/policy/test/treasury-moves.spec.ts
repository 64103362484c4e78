import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { PostgresReservationStore } from '../src/adapters/postgres-reservation-store.js';
import type { ReservationRequest } from '../src/ports/reservation-store.js';
import type { PolicyDatabase } from './database.js';
import {
  end,
  escrow,
  granted,
  newAgent,
  openStore,
  PAID_A_DAY,
  payout,
  request,
  type ReservationsUnderTest,
} from './store-support.js';

const MOVES_A_DAY = 5;

let opened: ReservationsUnderTest;
let database: PolicyDatabase;
let store: PostgresReservationStore;
let agentId: string;

beforeAll(async () => {
  opened = await openStore({ maxPayoutsPerDay: PAID_A_DAY, maxTreasuryMovesPerAgentDay: MOVES_A_DAY });
  ({ database, store } = opened);
});
afterAll(() => opened.close());
beforeEach(async () => {
  await database.shiftClock('0');
  agentId = await newAgent(database);
});

async function verdictOf(asked: ReservationRequest) {
  const dryRun = await store.dryRun(asked);
  const { verdict } = (await store.reserve(asked))!;
  expect(dryRun!.verdict).toBe(verdict);
  return verdict;
}

/** Starts so many buys, which stay open. */
async function start(count: number, agent = agentId): Promise<ReservationRequest[]> {
  const asked = Array.from({ length: count }, () => escrow(agent, 10n));
  for (const each of asked) expect(await verdictOf(each)).toBe('granted');
  return asked;
}

const atOnce = (asked: readonly ReservationRequest[]) =>
  Promise.all(asked.map((each, n) => (n % 2 === 0 ? store : opened.replica).reserve(each)));

/** A refund of an escrow. */
const refund = ({ agentId: agent, operationId }: ReservationRequest, change: Partial<ReservationRequest> = {}) =>
  payout(agent, 1n, { operationId, ...change });

describe('the moves that an agent starts in a day', () => {
  it('are buys and withdrawals, up to the bound and not one more', async () => {
    await start(MOVES_A_DAY - 2);
    expect(await verdictOf(payout(agentId, 1n))).toBe('granted');
    const last = payout(agentId, 1n);
    expect(await verdictOf(last)).toBe('granted');
    expect(await verdictOf(escrow(agentId, 1n))).toBe('treasury_moves_per_day');
    expect(await verdictOf(payout(agentId, 1n))).toBe('treasury_moves_per_day');
    // A repeat has its place already.
    expect((await store.reserve(last))!.verdict).toBe('granted');
  });

  it('leave other agents, and what does not touch the treasury, alone', async () => {
    await start(MOVES_A_DAY);
    expect(await verdictOf(request(agentId, { valueUsdMicros: 1n }))).toBe('granted');
    expect(await verdictOf(escrow(await newAgent(database), 1n))).toBe('granted');
  });

  it('never hold back a refund, and no refund counts', async () => {
    const buys = await start(MOVES_A_DAY - 1);
    for (const each of buys) {
      const refunded = refund(each);
      expect((await store.reserve(refunded))!.verdict).toBe('granted');
      await store.settle((await store.find(refunded))!, { state: 'failed' });
      expect((await store.reserve({ ...refunded, attempt: 2 }))!.verdict).toBe('granted');
    }
    const [last] = await start(1);
    expect((await store.reserve(refund(last!)))!.verdict).toBe('granted');
    expect(await verdictOf(payout(agentId, 1n))).toBe('treasury_moves_per_day');
  });

  it('count what landed with an error if the treasury paid for it, and not what expired', async () => {
    await end(store, escrow(agentId, 1n), 'expired');
    await end(store, escrow(agentId, 1n), 'failed');
    await end(store, payout(agentId, 1n), 'expired');
    await end(store, payout(agentId, 1n), 'failed');
    await end(store, payout(agentId, 1n));
    await start(MOVES_A_DAY - 2);
    expect(await verdictOf(escrow(agentId, 1n))).toBe('treasury_moves_per_day');
  });

  it('count for 24 hours from their start, open or not', async () => {
    const [first] = await start(2);
    await database.shiftClock('2 hours');
    await store.settle((await store.find(first!))!, { state: 'settled' });
    await start(MOVES_A_DAY - 2);
    await database.shiftClock('23 hours 59 minutes');
    expect(await verdictOf(escrow(agentId, 1n))).toBe('treasury_moves_per_day');
    await database.shiftClock('24 hours 1 minute');
    await start(2);
    expect(await verdictOf(escrow(agentId, 1n))).toBe('treasury_moves_per_day');
  });

  it('are decided exactly when twenty are asked for at once at the edge', async () => {
    await start(MOVES_A_DAY - 2);
    const asked = Array.from({ length: 20 }, (_, n) => (n % 3 === 0 ? payout : escrow)(agentId, 1n));
    const decisions = await atOnce(asked);
    expect(granted(decisions)).toBe(2);
    const others = decisions.filter((each) => each!.verdict !== 'granted').map((each) => each!.verdict);
    expect(new Set(others)).toEqual(new Set(['treasury_moves_per_day']));
  });
});

describe('the agents of one mailbox', () => {
  const agentsOfOne = () => {
    const mailboxId = randomBytes(32);
    return Promise.all(Array.from({ length: 4 }, () => newAgent(database, { mailboxId })));
  };

  it('start as many moves together as one agent', async () => {
    const [one, two, three] = await agentsOfOne();
    await start(MOVES_A_DAY - 1, one);
    await end(store, payout(two!, 1n));
    for (const each of [one, two, three]) {
      expect(await verdictOf(escrow(each!, 1n))).toBe('treasury_moves_per_day');
      expect(await verdictOf(payout(each!, 1n))).toBe('treasury_moves_per_day');
    }
    await start(1);
  });

  it('never pass the bound at once, over two replicas', async () => {
    for (let round = 0; round < 5; round += 1) {
      const agents = await agentsOfOne();
      const asked = Array.from({ length: 40 }, (_, n) => (n % 3 === 0 ? payout : escrow)(agents[n % 4]!, 1n));
      expect(granted(await atOnce(asked))).toBe(MOVES_A_DAY);
    }
  });
});
