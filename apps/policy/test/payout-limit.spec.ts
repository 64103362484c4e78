import { MAX_BASE_UNITS } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PostgresReservationStore } from '../src/adapters/postgres-reservation-store.js';
import type { ReservationRequest } from '../src/ports/reservation-store.js';
import {
  end,
  escrow,
  granted,
  newAgent,
  openPayouts,
  PAID_A_DAY,
  type PayoutsUnderTest,
  payout,
  request,
  sponsoredRequest,
  USD,
} from './store-support.js';

let opened: PayoutsUnderTest;
let store: PostgresReservationStore;
let agentId: string;

beforeAll(async () => {
  opened = await openPayouts();
  store = opened.store;
});
afterAll(() => opened.close());
beforeEach(async () => {
  agentId = await opened.startOver();
});

const connect = () => opened.database.policy.pool.connect();
const verdictOf = (asked: ReservationRequest) => opened.verdictOf(asked);
const atOnce = (asked: readonly ReservationRequest[]) => opened.atOnce(asked);

describe('payouts of a day', () => {
  it('are held against one limit of the deployment, on both sides', async () => {
    const other = await newAgent(opened.database);
    expect(await verdictOf(payout(agentId, PAID_A_DAY + 1n))).toBe('treasury_daily_limit');
    expect((await store.dryRun(payout(agentId, PAID_A_DAY + 1n)))!.verdict).toBe('treasury_daily_limit');
    expect((await store.dryRun(payout(agentId, PAID_A_DAY)))!.verdict).toBe('granted');
    const asked = payout(agentId, PAID_A_DAY - 1n);
    expect(await verdictOf(asked)).toBe('granted');
    expect(await verdictOf(payout(other, 2n))).toBe('treasury_daily_limit');
    expect(await verdictOf(payout(other, 1n))).toBe('granted');
    expect(await verdictOf(payout(other, 1n))).toBe('treasury_daily_limit');
    // A repeat has its place already.
    expect(await verdictOf(asked)).toBe('granted');
    expect(await verdictOf(escrow(other, 1n))).toBe('granted');
  });

  it('never pass it, however many agents ask at once at two replicas', async () => {
    const agents = await Promise.all(Array.from({ length: 10 }, () => newAgent(opened.database)));
    const asked = agents.flatMap((agent) => Array.from({ length: 20 }, () => payout(agent, PAID_A_DAY / 30n)));
    expect(granted(await atOnce(asked))).toBe(30);
  });

  it('count for 24 hours from when they are settled, and no more once they are released', async () => {
    const half = PAID_A_DAY / 2n;
    await end(store, payout(agentId, half), 'expired');
    await end(store, payout(agentId, half), 'failed');
    await end(store, payout(agentId, half));
    const open = payout(agentId, half);
    await store.reserve(open);
    await opened.database.shiftClock('23 hours 59 minutes');
    expect(await verdictOf(payout(agentId, 1n))).toBe('treasury_daily_limit');
    await opened.database.shiftClock('24 hours 1 minute');
    expect(await verdictOf(payout(agentId, half + 1n))).toBe('treasury_daily_limit');
    await store.settle((await store.find(open))!, { state: 'settled' });
    expect(await verdictOf(payout(agentId, half))).toBe('granted');
    await opened.database.shiftClock('48 hours 2 minutes');
    expect(await verdictOf(payout(agentId, half))).toBe('granted');
  });

  it('have no limit of the agent', async () => {
    const poor = await newAgent(opened.database, { dailyLimitUsdMicros: 1n, maxSingleTransactionUsdMicros: 1n });
    const listed = await newAgent(opened.database, { allowedRecipients: ['nobody'] });
    expect(await verdictOf(payout(poor, 100n * USD))).toBe('granted');
    expect(await verdictOf(payout(listed, 100n * USD))).toBe('granted');
    expect(await verdictOf(request(poor, { valueUsdMicros: 1n }))).toBe('granted');
  });

  it('count once though the clock steps back by more than a day', async () => {
    const half = PAID_A_DAY / 2n;
    const asked = payout(agentId, half);
    await store.reserve(asked);
    await opened.database.shiftClock('-25 hours');
    await store.settle((await store.find(asked))!, { state: 'settled' });
    expect(await verdictOf(payout(agentId, half))).toBe('granted');
    expect(await verdictOf(payout(agentId, 1n))).toBe('treasury_daily_limit');
  });

  it('are not held up by who waits for sponsorship: it is locked first by all who need both', async () => {
    const [holder, other] = await Promise.all([connect(), connect()]);
    try {
      await holder.query('begin');
      await holder.query('select from sponsorship for no key update');
      // While the first is under way, the others gather.
      const all = [request(agentId), payout(agentId, 1n), sponsoredRequest(agentId, 1n)];
      const decided = Promise.all(all.map((each) => store.reserve(each)));
      await eventually(async () => {
        const waiting = await other.query(`select from pg_stat_activity where wait_event_type = 'Lock'
          and query like '%reserve(%' and datname = current_database()`);
        return waiting.rowCount === 1;
      });
      await other.query('select from payouts for no key update nowait');
      await holder.query('commit');
      expect(granted(await decided)).toBe(3);
    } finally {
      holder.release(true);
      other.release(true);
    }
  });

  it('add up to what is left of them, sponsored requests of many agents among them', async () => {
    const agents = await Promise.all(Array.from({ length: 8 }, () => newAgent(opened.database)));
    const rounds = Array.from({ length: 6 }, (_, n) => n).flatMap((n) =>
      agents.map(async (agent, which) => {
        const both = [1, 2].flatMap(() => [sponsoredRequest(agent, 1n), payout(agent, 1n)]);
        const mine = opened.replicas[(n + which) % 2]!;
        const asked = which % 2 === 0 ? both : both.reverse();
        await Promise.all(asked.map((each) => mine.reserve(each)));
        const attempts = await Promise.all(asked.map((each) => mine.find(each)));
        await Promise.all(
          attempts.map((attempt) => mine.settle(attempt!, { state: n % 2 === 0 ? 'settled' : 'expired' })),
        );
      }),
    );
    await Promise.all(rounds);
    const [sum] = await opened.database.rows<{ sum: string }>('select paid_out_amount as sum from payouts');
    expect(sum!.sum).toBe(String(8 * 3 * 2));
  });

  it('count amounts up to the largest u64 to the unit, as escrow, refund and payout', async () => {
    const wide = new PostgresReservationStore(opened.database.policy, { maxPayoutsPerDay: 2n * MAX_BASE_UNITS });
    const sum = async () =>
      (await opened.database.rows<{ sum: string }>('select paid_out_amount as sum from payouts'))[0];
    const order = escrow(agentId, MAX_BASE_UNITS, { valueUsdMicros: USD });
    await end(wide, order);
    const refund = payout(agentId, MAX_BASE_UNITS, { operationId: order.operationId });
    expect((await wide.dryRun(refund))!.verdict).toBe('granted');
    expect((await wide.reserve(refund))!.verdict).toBe('granted');
    await wide.reserve(payout(agentId, MAX_BASE_UNITS));
    expect((await wide.reserve(payout(agentId, 1n)))!.verdict).toBe('treasury_daily_limit');
    expect(await sum()).toEqual({ sum: String(2n * MAX_BASE_UNITS) });
    // A refund that its escrow covers counts no more.
    await wide.settle((await wide.find(refund))!, { state: 'settled' });
    expect(await sum()).toEqual({ sum: String(MAX_BASE_UNITS) });
  });
});
