import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate, missingMigrations } from '@agent-wallet/platform';
import type { PostgresReservationStore } from '../src/adapters/postgres-reservation-store.js';
import { policyMigrations } from '../src/index.js';
import type { PolicyDatabase } from './database.js';
import {
  type ReservationsUnderTest,
  newAgent,
  openStore,
  RECIPIENT,
  request,
  spend,
  USD,
  WALLET,
} from './store-support.js';

const UNKNOWN_AGENT = '01900000-0000-7000-8000-000000000000';

let opened: ReservationsUnderTest;
let database: PolicyDatabase;
let store: PostgresReservationStore;

beforeAll(async () => {
  opened = await openStore();
  ({ database, store } = opened);
});
afterAll(() => opened.close());
afterEach(() => database.shiftClock('0'));

async function verdictOf(agentId: string, valueUsdMicros: bigint | undefined, recipient = RECIPIENT) {
  return (await store.reserve(request(agentId, { valueUsdMicros, recipient })))?.verdict;
}

describe('limits', () => {
  it('allow a single value equal to the limit, and not a micro-dollar more', async () => {
    const agentId = await newAgent(database, { maxSingleTransactionUsdMicros: 20n * USD });
    expect(await verdictOf(agentId, 20n * USD)).toBe('granted');
    expect(await verdictOf(agentId, 20n * USD + 1n)).toBe('single_transaction_limit');
  });

  it('allow a day that adds up to the limit, and not a micro-dollar more', async () => {
    const agentId = await newAgent(database, { dailyLimitUsdMicros: 30n * USD });
    await spend(store, agentId, 20n * USD);
    expect(await verdictOf(agentId, 10n * USD + 1n)).toBe('daily_limit');
    expect(await verdictOf(agentId, 10n * USD)).toBe('granted');
    expect(await verdictOf(agentId, 1n)).toBe('daily_limit');
  });

  it('are checked in their order: recipient, price, single, daily', async () => {
    const agentId = await newAgent(database, {
      allowedRecipients: [WALLET],
      maxSingleTransactionUsdMicros: 5n * USD,
      dailyLimitUsdMicros: 3n * USD,
    });
    expect(await verdictOf(agentId, undefined)).toBe('recipient_not_allowed');
    expect(await verdictOf(agentId, 9n * USD)).toBe('recipient_not_allowed');
    expect(await verdictOf(agentId, undefined, WALLET)).toBe('price_unavailable');
    expect(await verdictOf(agentId, 9n * USD, WALLET)).toBe('single_transaction_limit');
    expect(await verdictOf(agentId, 4n * USD, WALLET)).toBe('daily_limit');
    expect(await verdictOf(agentId, 3n * USD, WALLET)).toBe('granted');
  });

  it('refuse values beyond every limit without overflowing', async () => {
    const agentId = await newAgent(database);
    expect(await verdictOf(agentId, 2n ** 63n - 1n)).toBe('single_transaction_limit');
  });

  it('have no answer for an agent without a policy', async () => {
    expect(await store.reserve(request(UNKNOWN_AGENT))).toBeUndefined();
    expect(
      await store.dryRun({ agentId: UNKNOWN_AGENT, kind: 'payment', recipient: '', valueUsdMicros: 1n }),
    ).toBeUndefined();
  });
});

describe('the window of 24 hours', () => {
  it('counts a settled value until it is 24 hours old', async () => {
    const agentId = await newAgent(database, { dailyLimitUsdMicros: 30n * USD });
    await spend(store, agentId, 30n * USD);
    await database.shiftClock('23:59:59');
    expect(await verdictOf(agentId, 1n)).toBe('daily_limit');
    await database.shiftClock('24:00:01');
    expect(await verdictOf(agentId, 30n * USD)).toBe('granted');
  });

  it('counts from the landing, however late that is found', async () => {
    const agentId = await newAgent(database, { dailyLimitUsdMicros: 30n * USD });
    const asked = request(agentId, { valueUsdMicros: 30n * USD });
    await store.reserve(asked);
    const landedAtMs = Date.now() + 60_000;
    await database.shiftClock('23 hours');
    await store.settle((await store.find(asked))!, { state: 'settled', landedAtMs });
    expect(await verdictOf(agentId, 1n)).toBe('daily_limit');
    // A minute after the permit, and two for a chain whose clock is slow.
    await database.shiftClock('24:02:50');
    expect(await verdictOf(agentId, 1n)).toBe('daily_limit');
    await database.shiftClock('24:03:10');
    expect(await verdictOf(agentId, 30n * USD)).toBe('granted');
  });

  it('counts nothing that landed before it, and all of it again when the clock is set back', async () => {
    const agentId = await newAgent(database, { dailyLimitUsdMicros: 30n * USD });
    const asked = request(agentId, { valueUsdMicros: 30n * USD });
    await store.reserve(asked);
    await database.shiftClock('30 hours');
    await store.settle((await store.find(asked))!, { state: 'settled', landedAtMs: Date.now() });
    expect(await verdictOf(agentId, 30n * USD)).toBe('granted');
    await database.shiftClock('23 hours');
    expect(await verdictOf(agentId, 1n)).toBe('daily_limit');
  });

  it('counts from the settlement, not from the reservation', async () => {
    const agentId = await newAgent(database, { dailyLimitUsdMicros: 30n * USD });
    const asked = request(agentId, { valueUsdMicros: 30n * USD });
    await store.reserve(asked);
    await database.shiftClock('30 hours');
    expect(await verdictOf(agentId, 1n)).toBe('daily_limit');
    await store.settle((await store.find(asked))!, { state: 'settled' });
    await database.shiftClock('53:59:59');
    expect(await verdictOf(agentId, 1n)).toBe('daily_limit');
    await database.shiftClock('54:00:01');
    expect(await verdictOf(agentId, 1n)).toBe('granted');
  });

  it('counts an open reservation in full however old', async () => {
    const agentId = await newAgent(database, { dailyLimitUsdMicros: 30n * USD });
    await store.reserve(request(agentId, { valueUsdMicros: 30n * USD }));
    await database.shiftClock('90 days');
    expect(await verdictOf(agentId, 1n)).toBe('daily_limit');
  });

  it('counts nothing of what failed or died', async () => {
    const agentId = await newAgent(database, { dailyLimitUsdMicros: 30n * USD });
    await spend(store, agentId, 30n * USD, 'failed');
    await spend(store, agentId, 30n * USD, 'expired');
    expect(await verdictOf(agentId, 30n * USD)).toBe('granted');
  });

  it('says when the oldest value leaves', async () => {
    const agentId = await newAgent(database, { dailyLimitUsdMicros: 30n * USD });
    await spend(store, agentId, 10n * USD);
    const [{ at }] = (await database.rows(
      'select settled_at as at from reservations where agent_id = $1',
      agentId,
    )) as [{ at: Date }];
    await database.shiftClock('1 hour');
    await spend(store, agentId, 10n * USD);
    expect(await store.reserve(request(agentId, { valueUsdMicros: 11n * USD }))).toMatchObject({
      verdict: 'daily_limit',
      settledUsdMicros: 20n * USD,
      reservedUsdMicros: 0n,
      resetsAtMs: at.getTime() + 24 * 3_600_000,
    });
  });

  it('is moved by a test for its own database alone, and by another hand not unseen', async () => {
    await database.shiftClock('25 hours');
    expect(await missingMigrations(database.policy, policyMigrations.directory)).toEqual([]);
    await database.rows(
      `create or replace function now() returns timestamptz language sql volatile as $$ select 'infinity'::timestamptz $$`,
    );
    expect(await missingMigrations(database.policy, policyMigrations.directory)).toEqual([
      'functions (changed in the database)',
    ]);
    await expect(migrate(database.policy, policyMigrations.directory)).rejects.toThrow('were changed in the database');
  });
});
