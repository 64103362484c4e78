import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { PostgresReservationStore } from '../src/adapters/postgres-reservation-store.js';
import type { ReservationRequest } from '../src/ports/reservation-store.js';
import { end, escrow, type ReservationsUnderTest, newAgent, openStore, payout, USD } from './store-support.js';

const PAID_A_DAY = 1_000n * USD;
const HALF = PAID_A_DAY / 2n;

let opened: ReservationsUnderTest;
let store: PostgresReservationStore;
let agentId: string;
let other: string;

beforeAll(async () => {
  opened = await openStore({ maxPayoutsPerDay: PAID_A_DAY });
  store = opened.store;
});
afterAll(() => opened.close());
beforeEach(async () => {
  await opened.database.shiftClock('0');
  await opened.database.rows('delete from reservations');
  await opened.database.rows(`update payouts set paid_out_amount = 0, paid_out_since = '-infinity'`);
  const rich = { dailyLimitUsdMicros: 10n * PAID_A_DAY, maxSingleTransactionUsdMicros: PAID_A_DAY };
  agentId = await newAgent(opened.database, rich);
  other = await newAgent(opened.database);
});

const verdictOf = async (asked: ReservationRequest) => (await store.reserve(asked))!.verdict;
const settle = async (asked: ReservationRequest, outcome: 'settled' | 'failed' | 'expired' = 'settled') =>
  store.settle((await store.find(asked))!, { state: outcome });

/** What counts of all payouts now, and whether another agent may have all that it leaves, and no more. */
async function counted(): Promise<bigint> {
  const isFree = async (amount: bigint) => (await store.dryRun(payout(other, amount)))!.verdict === 'granted';
  let [low, high] = [0n, PAID_A_DAY];
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if (await isFree(middle)) low = middle;
    else high = middle - 1n;
  }
  return PAID_A_DAY - low;
}

/** An escrow and its refund, both permitted and open. */
async function pair(amount: bigint, back = amount) {
  const taken = escrow(agentId, amount);
  const given = payout(agentId, back, { operationId: taken.operationId });
  await store.reserve(taken);
  expect(await verdictOf(given)).toBe('granted');
  return { taken, given };
}

describe('a refund', () => {
  it('leaves the day of all others alone once its escrow has landed, too', async () => {
    for (let n = 0; n < 10; n += 1) {
      const asked = escrow(agentId, PAID_A_DAY / 10n);
      await end(store, asked);
      await end(store, payout(agentId, PAID_A_DAY / 10n, { operationId: asked.operationId }));
    }
    expect(await verdictOf(payout(other, PAID_A_DAY + 1n))).toBe('treasury_daily_limit');
    expect(await verdictOf(payout(other, PAID_A_DAY))).toBe('granted');
  });

  it('counts while it is open, and as long as its escrow is', async () => {
    const { taken, given } = await pair(HALF);
    expect(await counted()).toBe(HALF);
    await settle(given);
    expect(await counted()).toBe(HALF);
    expect(await verdictOf(payout(other, HALF + 1n))).toBe('treasury_daily_limit');
    await settle(taken);
    expect(await counted()).toBe(0n);
  });

  it.each(['failed', 'expired'] as const)('gains nothing from an escrow that %s', async (outcome) => {
    const { taken, given } = await pair(HALF);
    await settle(given);
    await settle(taken, outcome);
    expect(await counted()).toBe(HALF);
  });

  it('is taken off once, however often both are settled', async () => {
    await end(store, payout(other, 10n));
    const { taken, given } = await pair(HALF);
    for (const asked of [taken, given, given, taken, given]) await settle(asked);
    expect(await counted()).toBe(10n);
    await settle(given, 'expired');
    expect(await counted()).toBe(10n);
  });

  it('is taken off with its escrow in one call, and each of several', async () => {
    const { taken, given } = await pair(HALF, 40n);
    const more = payout(agentId, 2n, { operationId: taken.operationId, step: 4 });
    const lost = payout(agentId, 3n, { operationId: taken.operationId, step: 5 });
    for (const asked of [more, lost]) await store.reserve(asked);
    expect(await counted()).toBe(45n);
    await Promise.all([settle(given), settle(taken), settle(lost, 'expired')]);
    expect(await counted()).toBe(2n);
    await settle(more);
    expect(await counted()).toBe(0n);
    expect(await verdictOf(payout(agentId, HALF - 41n, { operationId: taken.operationId, step: 6 }))).toBe(
      'conflict_payout_beyond_escrow',
    );
  });

  it('that left the window while its escrow was open is not taken off again', async () => {
    const { taken, given } = await pair(HALF);
    await settle(given);
    await opened.database.shiftClock('25 hours');
    await end(store, payout(other, 10n));
    await settle(taken);
    expect(await counted()).toBe(10n);
    // Nor does it come back with the clock.
    await opened.database.shiftClock('0');
    await end(store, payout(other, 5n));
    expect(await counted()).toBe(15n);
  });

  it('that was taken off does not leave the window once more', async () => {
    const { taken, given } = await pair(HALF);
    for (const asked of [taken, given]) await settle(asked);
    await opened.database.shiftClock('23 hours');
    await end(store, payout(other, 10n));
    await opened.database.shiftClock('25 hours');
    expect(await counted()).toBe(10n);
    await end(store, payout(other, 1n));
    expect(await counted()).toBe(11n);
  });

  it('is another thing than what another operation pays, which counts as ever', async () => {
    await end(store, escrow(agentId, HALF));
    await end(store, payout(agentId, HALF));
    expect(await counted()).toBe(HALF);
  });

  it('keeps its time, by which a recovery knows it', async () => {
    const { taken, given } = await pair(HALF);
    for (const asked of [taken, given]) await settle(asked);
    const known = await opened.database.rows(
      `select from reservations where payout_covered and paid_out_at > policy.now() - interval '1 minute'`,
    );
    expect(known).toHaveLength(1);
  });
});
