import { newId } from '@agent-wallet/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { PostgresReservationStore } from '../src/adapters/postgres-reservation-store.js';
import { NO_SPONSORSHIP } from '../src/domain/sponsorship.js';
import type { ReservationRequest } from '../src/ports/reservation-store.js';
import {
  end,
  escrow,
  granted,
  newAgent,
  openPayouts,
  openStore,
  type PayoutsUnderTest,
  payout,
  request,
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

const verdictOf = (asked: ReservationRequest) => opened.verdictOf(asked);
const atOnce = (asked: readonly ReservationRequest[]) => opened.atOnce(asked);

describe('an escrow', () => {
  it('is held against the limits of payments, on both sides of each', async () => {
    expect(await verdictOf(escrow(agentId, 100n * USD + 1n))).toBe('single_transaction_limit');
    for (let i = 0; i < 5; i += 1) expect(await verdictOf(escrow(agentId, 100n * USD - 1n))).toBe('granted');
    expect(await verdictOf(escrow(agentId, 6n))).toBe('daily_limit');
    expect(await verdictOf(escrow(agentId, 5n))).toBe('granted');
    expect(await verdictOf(request(agentId, { valueUsdMicros: 1n }))).toBe('daily_limit');
    expect(await verdictOf(escrow(agentId, 1n, { valueUsdMicros: undefined }))).toBe('price_unavailable');
  });

  it('is granted 10 of 50 times at once under a cap for 10, from two replicas, payments among them', async () => {
    const limited = await newAgent(opened.database, { dailyLimitUsdMicros: 100n * USD });
    const asked = Array.from({ length: 50 }, (_, n) => (n % 5 === 0 ? request(limited) : escrow(limited, 10n * USD)));
    expect(granted(await atOnce(asked))).toBe(10);
  });

  it('is refused by the switch, which is asked of nothing else, and of a repeat, too', async () => {
    const off = await newAgent(opened.database, { allowPredictionMarkets: false });
    expect(await verdictOf(escrow(off, 1n))).toBe('prediction_markets_disabled');
    expect((await store.dryRun(escrow(off, 1n)))!.verdict).toBe('prediction_markets_disabled');
    expect(await verdictOf(request(off))).toBe('granted');
    expect(await verdictOf(request(off, { kind: 'trade' }))).toBe('granted');
    expect(await verdictOf(payout(off, 1n))).toBe('granted');
    const others = await newAgent(opened.database, { allowTrading: false, allowLiquidityProvision: false });
    const asked = escrow(others, 1n);
    expect(await verdictOf(asked)).toBe('granted');
    await opened.policies.change(others, (policy) => ({ ...policy, allowPredictionMarkets: false }));
    expect(await verdictOf(asked)).toBe('prediction_markets_disabled');
  });

  it.each<[string, readonly string[] | null, string | undefined, boolean]>([
    ['no list, and any market', null, 'KXBTC-25', true],
    ['no list, and no name', null, undefined, true],
    ['an empty list', [], 'KXBTC-25', false],
    ['its ticker', ['KXETH', 'KXBTC-25'], 'KXBTC-25', true],
    ['a beginning of it', ['KXBTC'], 'KXBTC-25-T1', true],
    ['a longer beginning of it', ['KXBTC-25'], 'KXBTC-25-T1', true],
    ['a beginning that ends within a part', ['KX'], 'KXBTC-25', false],
    ['a beginning that ends within its last part', ['KXBTC-25'], 'KXBTC-251', false],
    ['a longer name than its own', ['KXBTC-25-T1'], 'KXBTC-25', false],
    ['another case', ['kxbtc'], 'KXBTC-25', false],
    ['a pattern', ['KX_TC', '%'], 'KXBTC-25', false],
    ['a list, and no name', ['KXBTC'], undefined, false],
    ['a list, and an empty name', ['KXBTC'], '', false],
  ])('is for a market that is listed: %s', async (_, allowedMarkets, ticker, isAllowed) => {
    await opened.policies.change(agentId, (policy) => ({ ...policy, allowedMarkets, allowedTokens: [] }));
    const verdict = isAllowed ? 'granted' : 'market_not_allowed';
    expect((await store.dryRun(escrow(agentId, 1n, { ticker })))!.verdict).toBe(verdict);
    expect(await verdictOf(escrow(agentId, 1n, { ticker }))).toBe(verdict);
  });

  it('may have a sponsor within its bounds', async () => {
    const sponsorship = { lamports: 100n, makesAccount: false };
    expect(await verdictOf(escrow(agentId, 1n, { sponsorship }))).toBe('granted');
    const dearer = { lamports: 101n, makesAccount: false };
    expect(await verdictOf(escrow(agentId, 1n, { sponsorship: dearer }))).toBe('sponsored_per_transaction');
  });

  it('comes before its payouts, or not at all', async () => {
    const { operationId } = payout(agentId, 5n);
    await store.reserve(payout(agentId, 5n, { operationId }));
    expect(await verdictOf(escrow(agentId, 10n, { operationId }))).toBe('conflict_escrow_after_payout');
    await end(store, payout(agentId, 5n, { operationId, step: 4 }), 'expired');
    expect(await verdictOf(escrow(agentId, 10n, { operationId }))).toBe('conflict_escrow_after_payout');
  });
});

describe('payouts of an operation with an escrow', () => {
  it('bring together what is in escrow, and not a micro-dollar more', async () => {
    const asked = escrow(agentId, 10n);
    await store.reserve(asked);
    const { operationId } = asked;
    expect(await verdictOf(payout(agentId, 11n, { operationId }))).toBe('conflict_payout_beyond_escrow');
    expect(await verdictOf(payout(agentId, 4n, { operationId }))).toBe('granted');
    expect(await verdictOf(payout(agentId, 7n, { operationId, step: 4 }))).toBe('conflict_payout_beyond_escrow');
    expect(await verdictOf(payout(agentId, 6n, { operationId, step: 4 }))).toBe('granted');
    expect(await verdictOf(payout(agentId, 1n, { operationId, step: 5 }))).toBe('conflict_payout_beyond_escrow');
  });

  it('do so when they are asked for at once, from two replicas', async () => {
    const asked = escrow(agentId, 10n);
    await store.reserve(asked);
    const { operationId } = asked;
    const payouts = Array.from({ length: 50 }, (_, n) => payout(agentId, 2n, { operationId, step: n + 2 }));
    expect(granted(await atOnce(payouts))).toBe(5);
  });

  it('do so when they are decided on together with the escrow', async () => {
    const asked = escrow(agentId, 3n);
    const { operationId } = asked;
    // While the first is under way, the others gather.
    const all = [request(agentId), asked, ...[2, 3].map((step) => payout(agentId, 2n, { operationId, step }))];
    const decisions = await Promise.all(all.map((each) => store.reserve(each)));
    expect(decisions.map((decision) => decision!.verdict)).toEqual([
      ...['granted', 'granted', 'granted', 'conflict_payout_beyond_escrow'],
    ]);
  });

  it('have room again once one of them is proven to have moved nothing', async () => {
    const asked = escrow(agentId, 10n);
    await end(store, asked);
    const { operationId } = asked;
    for (const outcome of ['expired', 'failed'] as const) {
      await end(store, payout(agentId, 10n, { operationId, attempt: outcome === 'expired' ? 1 : 2 }), outcome);
    }
    expect(await verdictOf(payout(agentId, 10n, { operationId, attempt: 3 }))).toBe('granted');
    expect(await verdictOf(payout(agentId, 1n, { operationId, step: 4 }))).toBe('conflict_payout_beyond_escrow');
  });

  it('are none once the escrow is proven to have moved nothing', async () => {
    const asked = escrow(agentId, 10n);
    const { operationId } = asked;
    await end(store, asked, 'expired');
    expect(await verdictOf(payout(agentId, 1n, { operationId }))).toBe('conflict_payout_beyond_escrow');
    expect(await verdictOf(escrow(agentId, 5n, { operationId, attempt: 2 }))).toBe('granted');
    expect(await verdictOf(payout(agentId, 6n, { operationId }))).toBe('conflict_payout_beyond_escrow');
    expect(await verdictOf(payout(agentId, 5n, { operationId }))).toBe('granted');
  });

  it("are none of another agent's", async () => {
    const asked = escrow(agentId, 10n);
    await store.reserve(asked);
    const other = await newAgent(opened.database);
    expect(await verdictOf(payout(other, 1n, { operationId: asked.operationId }))).toBe('conflict_other_agent');
    const own = payout(agentId, 1n, { operationId: newId() });
    await store.reserve(own);
    expect(await verdictOf(escrow(other, 1n, { operationId: own.operationId }))).toBe('conflict_other_agent');
  });
});

describe('a freeze', () => {
  it('refuses escrows and payouts, repeats of them, too', async () => {
    const asked = [escrow(agentId, 1n), payout(agentId, 1n)];
    for (const each of asked) expect(await verdictOf(each)).toBe('granted');
    const order = { agentId, operator: 'test', reason: 'a test' };
    await opened.freezes.set({ ...order, frozen: true });
    for (const each of [...asked, escrow(agentId, 1n), payout(agentId, 1n)]) {
      expect(await verdictOf(each)).toBe('frozen');
    }
    expect((await store.dryRun(payout(agentId, 1n)))!.verdict).toBe('frozen');
    await opened.freezes.set({ ...order, frozen: false });
    for (const each of asked) expect(await verdictOf(each)).toBe('granted');
  });
});

describe('attempts of escrows and payouts', () => {
  it.each(['escrow', 'payout'] as const)(
    'follow each other only when the one before moved nothing: %s',
    async (kind) => {
      const first = kind === 'escrow' ? escrow(agentId, 2n) : payout(agentId, 2n);
      const next = (attempt: number) => ({ ...first, attempt, messageHash: request(agentId).messageHash });
      expect(await verdictOf(next(2))).toBe('conflict_prior_attempt_may_land');
      expect(await verdictOf(first)).toBe('granted');
      expect(await verdictOf(next(2))).toBe('conflict_prior_attempt_may_land');
      expect(await verdictOf({ ...first, messageHash: next(1).messageHash })).toBe('conflict_other_message');
      expect(await verdictOf({ ...first, intent: Buffer.from('other') })).toBe('conflict_other_intent');
      await store.settle((await store.find(first))!, { state: 'failed' });
      expect(await verdictOf(first)).toBe('conflict_attempt_is_over');
      expect(await verdictOf(next(3))).toBe('conflict_prior_attempt_may_land');
      const second = next(2);
      await end(store, second);
      expect(await verdictOf(second)).toBe('conflict_attempt_is_over');
      expect(await verdictOf(next(3))).toBe('conflict_prior_attempt_may_land');
    },
  );

  it('are refused to a deployment without a treasury', async () => {
    const without = await openStore({ sponsorship: NO_SPONSORSHIP });
    try {
      const agent = await newAgent(without.database);
      expect((await without.store.reserve(payout(agent, 1n)))!.verdict).toBe('treasury_daily_limit');
    } finally {
      await without.close();
    }
  });
});
