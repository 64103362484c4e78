import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PostgresReservationStore } from '../src/adapters/postgres-reservation-store.js';
import type { PostgresPolicyStore } from '../src/adapters/postgres-policy-store.js';
import type { PolicyDatabase } from './database.js';
import {
  granted,
  type ReservationsUnderTest,
  newAgent,
  openStore,
  RECIPIENT,
  request,
  USD,
  WALLET,
} from './store-support.js';

let opened: ReservationsUnderTest;
let database: PolicyDatabase;
let store: PostgresReservationStore;
let replica: PostgresReservationStore;
let policies: PostgresPolicyStore;

beforeAll(async () => {
  opened = await openStore();
  ({ database, store, replica, policies } = opened);
});
afterAll(() => opened.close());

describe('many requests at once', () => {
  it('grants exactly 10 of 50 under a cap for 10, from two replicas', async () => {
    const agentId = await newAgent(database, { dailyLimitUsdMicros: 100n * USD });
    const both = [store, replica];
    const decisions = await Promise.all(Array.from({ length: 50 }, (_, n) => both[n % 2]!.reserve(request(agentId))));
    expect(granted(decisions)).toBe(10);
    expect(await store.dryRun({ agentId, kind: 'payment', recipient: '', valueUsdMicros: 1n })).toMatchObject({
      reservedUsdMicros: 100n * USD,
      settledUsdMicros: 0n,
    });
  });

  it('grants exactly 10 of 50 when nothing goes together', async () => {
    const agentId = await newAgent(database, { dailyLimitUsdMicros: 100n * USD });
    const decisions = await Promise.all(
      Array.from({ length: 50 }, () => new PostgresReservationStore(database.policy).reserve(request(agentId))),
    );
    expect(granted(decisions)).toBe(10);
  });

  it('grants nothing under the old policy once a change was answered', async () => {
    const agentId = await newAgent(database, { dailyLimitUsdMicros: 10_000n * USD });
    const before = Array.from({ length: 50 }, (_, n) => [store, replica][n % 2]!.reserve(request(agentId)));
    await policies.change(agentId, (policy) => ({ ...policy, dailyLimitUsdMicros: 50n * USD }));
    const { reservedUsdMicros } = (await store.dryRun({
      agentId,
      kind: 'payment',
      recipient: '',
      valueUsdMicros: 1n,
    }))!;
    const total = granted(await Promise.all(before));
    const allowed = reservedUsdMicros > 50n * USD ? reservedUsdMicros : 50n * USD;
    expect(BigInt(total) * 10n * USD).toBeLessThanOrEqual(allowed);
    expect((await store.reserve(request(agentId, { valueUsdMicros: 50n * USD })))?.verdict).toBe(
      total === 0 ? 'granted' : 'daily_limit',
    );
  });

  it('settles once however many ask', async () => {
    const agentId = await newAgent(database);
    const asked = request(agentId);
    await store.reserve(asked);
    const attempt = (await store.find(asked))!;
    const states = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        [store, replica][n % 2]!.settle(attempt, { state: n % 3 === 0 ? 'settled' : 'expired' }),
      ),
    );
    expect(new Set(states).size).toBe(1);
    const standing = await store.dryRun({ agentId, kind: 'payment', recipient: '', valueUsdMicros: 1n });
    expect(standing).toMatchObject({
      reservedUsdMicros: 0n,
      settledUsdMicros: states[0] === 'settled' ? 10n * USD : 0n,
    });
  });

  it('answers each request of a batch for itself', async () => {
    const agentId = await newAgent(database, { dailyLimitUsdMicros: 25n * USD, allowedRecipients: [RECIPIENT] });
    const repeated = request(agentId);
    const decisions = await Promise.all([
      store.reserve(request(agentId, { valueUsdMicros: 1n * USD })),
      store.reserve(repeated),
      store.reserve(repeated),
      store.reserve(request(agentId, { recipient: WALLET })),
      store.reserve({ ...repeated, messageHash: Buffer.alloc(32) }),
      store.reserve(request(agentId, { valueUsdMicros: 15n * USD })),
      store.reserve(request(agentId, { valueUsdMicros: 14n * USD })),
    ]);
    expect(decisions.map((decision) => decision?.verdict)).toEqual([
      'granted',
      'granted',
      'granted',
      'recipient_not_allowed',
      'conflict_other_message',
      'daily_limit',
      'granted',
    ]);
  });
});

describe('one operation', () => {
  it('has one reservation however often its attempt is repeated', async () => {
    const agentId = await newAgent(database);
    const asked = request(agentId);
    for (let i = 0; i < 3; i += 1) expect((await store.reserve(asked))?.verdict).toBe('granted');
    expect(await store.reserve(asked)).toMatchObject({ reservedUsdMicros: 10n * USD });
  });

  it('keeps the value it was reserved with, price or no price', async () => {
    const agentId = await newAgent(database);
    const asked = request(agentId);
    await store.reserve(asked);
    for (const valueUsdMicros of [99n * USD, undefined, 1n]) {
      expect(await store.reserve({ ...asked, valueUsdMicros })).toMatchObject({
        verdict: 'granted',
        valueUsdMicros: 10n * USD,
      });
    }
  });

  it('is not permitted again when the policy in force no longer allows it', async () => {
    const agentId = await newAgent(database);
    const asked = request(agentId);
    await store.reserve(asked);
    await policies.change(agentId, (policy) => ({ ...policy, dailyLimitUsdMicros: 10n * USD }));
    expect((await store.reserve(asked))?.verdict).toBe('granted');
    await policies.change(agentId, (policy) => ({ ...policy, dailyLimitUsdMicros: 10n * USD - 1n }));
    expect((await store.reserve(asked))?.verdict).toBe('daily_limit');
    await policies.change(agentId, (policy) => ({ ...policy, allowedRecipients: [WALLET] }));
    expect((await store.reserve(asked))?.verdict).toBe('recipient_not_allowed');
    expect((await store.find(asked))?.state).toBe('open');
  });

  it('takes no other message, intent or agent', async () => {
    const [agentId, other] = await Promise.all([newAgent(database), newAgent(database)]);
    const asked = request(agentId);
    await store.reserve(asked);
    const verdict = async (change: object) => (await store.reserve({ ...asked, ...change }))?.verdict;
    expect(await verdict({ messageHash: Buffer.alloc(32, 9) })).toBe('conflict_other_message');
    expect(await verdict({ intent: Buffer.from('0a0131', 'hex') })).toBe('conflict_other_intent');
    expect(await verdict({ agentId: other })).toBe('conflict_other_agent');
    expect(await verdict({ agentId: other, attempt: 2 })).toBe('conflict_prior_attempt_may_land');
    expect(await store.dryRun({ agentId: other, kind: 'payment', recipient: '', valueUsdMicros: 1n })).toMatchObject({
      reservedUsdMicros: 0n,
    });
  });

  it('belongs to one agent even when two take it at the same time', async () => {
    const agents = await Promise.all(Array.from({ length: 6 }, () => newAgent(database)));
    const asked = request(agents[0]!);
    const answers = await Promise.allSettled(
      agents.map((agentId, n) => [store, replica][n % 2]!.reserve({ ...asked, agentId })),
    );
    const verdicts = answers.map((answer) =>
      answer.status === 'fulfilled' ? answer.value?.verdict : (answer.reason as { code: string }).code,
    );
    expect(verdicts.filter((verdict) => verdict === 'granted')).toHaveLength(1);
    expect(verdicts.filter((v) => v === 'conflict_other_agent' || v === 'PERMIT_CONFLICT')).toHaveLength(5);
    const sums = await database.rows(
      'select reserved_usd_micros as sum from policies where agent_id = any ($1)',
      agents,
    );
    expect(sums.filter(({ sum }) => sum !== '0')).toHaveLength(1);
  });

  it('gets another attempt only when the one before is proven to have moved nothing', async () => {
    for (const [state, verdict] of [
      ['settled', 'conflict_prior_attempt_may_land'],
      ['failed', 'granted'],
      ['expired', 'granted'],
    ] as const) {
      const agentId = await newAgent(database);
      const first = request(agentId);
      const second = { ...request(agentId), operationId: first.operationId, attempt: 2 };
      await store.reserve(first);
      expect((await store.reserve(second))?.verdict).toBe('conflict_prior_attempt_may_land');
      await store.settle((await store.find(first))!, { state: state });
      expect((await store.reserve(first))?.verdict).toBe('conflict_attempt_is_over');
      expect((await store.reserve({ ...second, attempt: 3 }))?.verdict).toBe('conflict_prior_attempt_may_land');
      expect((await store.reserve(second))?.verdict).toBe(verdict);
    }
  });

  it('has a further attempt checked against the policy in force then', async () => {
    const agentId = await newAgent(database);
    const first = request(agentId);
    await store.reserve(first);
    await store.settle((await store.find(first))!, { state: 'expired' });
    await policies.change(agentId, (policy) => ({ ...policy, maxSingleTransactionUsdMicros: 1n * USD }));
    const second = { ...request(agentId), operationId: first.operationId, attempt: 2 };
    expect((await store.reserve(second))?.verdict).toBe('single_transaction_limit');
  });
});
