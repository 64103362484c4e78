import { createOutbox } from '@agent-wallet/platform';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { PrismaPg } from '@prisma/adapter-pg';
import { PostgresLedger } from '../src/adapters/postgres-ledger.js';
import { StoredPolicies } from '../src/adapters/stored-policies.js';
import type { Decision } from '../src/domain/decision.js';
import { PrismaClient } from '../src/generated/prisma/client.js';
import { openPolicyDatabase, type PolicyDatabase } from './database.js';
import { newAgent, RECIPIENT, request, spend, USD, WALLET } from './ledger-support.js';

let database: PolicyDatabase;
let ledger: PostgresLedger;
let replica: PostgresLedger;
let policies: StoredPolicies;
let prisma: PrismaClient;

beforeAll(async () => {
  database = await openPolicyDatabase();
  ledger = new PostgresLedger(database.policy);
  replica = new PostgresLedger(database.another());
  prisma = new PrismaClient({ adapter: new PrismaPg(database.policy.pool, { schema: 'policy' }) });
  const outbox = createOutbox('policy', { nowMs: () => 0 });
  policies = new StoredPolicies(database.policy, prisma, outbox, { wake: () => undefined });
});
afterAll(async () => {
  await prisma.$disconnect();
  await database.close();
});
afterEach(() => database.shiftClock('0'));

async function verdictOf(agentId: string, valueUsdMicros: bigint | undefined, recipient = RECIPIENT) {
  return (await ledger.authorize(request(agentId, { valueUsdMicros, recipient })))?.verdict;
}

function granted(decisions: ReadonlyArray<Decision | undefined>): number {
  return decisions.filter((decision) => decision?.verdict === 'granted').length;
}

describe('limits', () => {
  it('allow a single value equal to the limit, and not a micro-dollar more', async () => {
    const agentId = await newAgent(database, { maxSingleTransactionUsdMicros: 20n * USD });
    expect(await verdictOf(agentId, 20n * USD)).toBe('granted');
    expect(await verdictOf(agentId, 20n * USD + 1n)).toBe('single_transaction_limit');
  });

  it('allow a day that adds up to the limit, and not a micro-dollar more', async () => {
    const agentId = await newAgent(database, { dailyLimitUsdMicros: 30n * USD });
    await spend(ledger, agentId, 20n * USD);
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
    expect(await ledger.authorize(request(WALLET_ID))).toBeUndefined();
    expect(await ledger.foresee({ agentId: WALLET_ID, recipient: '', valueUsdMicros: 1n })).toBeUndefined();
  });
});

const WALLET_ID = '01900000-0000-7000-8000-000000000000';

describe('the window of 24 hours', () => {
  it('counts a settled value until it is 24 hours old', async () => {
    const agentId = await newAgent(database, { dailyLimitUsdMicros: 30n * USD });
    await spend(ledger, agentId, 30n * USD);
    await database.shiftClock('23:59:59');
    expect(await verdictOf(agentId, 1n)).toBe('daily_limit');
    await database.shiftClock('24:00:01');
    expect(await verdictOf(agentId, 30n * USD)).toBe('granted');
  });

  it('counts from the settlement, not from the reservation', async () => {
    const agentId = await newAgent(database, { dailyLimitUsdMicros: 30n * USD });
    const asked = request(agentId, { valueUsdMicros: 30n * USD });
    await ledger.authorize(asked);
    await database.shiftClock('30 hours');
    expect(await verdictOf(agentId, 1n)).toBe('daily_limit');
    await ledger.conclude((await ledger.find(asked))!, 'settled');
    await database.shiftClock('53:59:59');
    expect(await verdictOf(agentId, 1n)).toBe('daily_limit');
    await database.shiftClock('54:00:01');
    expect(await verdictOf(agentId, 1n)).toBe('granted');
  });

  it('counts an open reservation in full however old', async () => {
    const agentId = await newAgent(database, { dailyLimitUsdMicros: 30n * USD });
    await ledger.authorize(request(agentId, { valueUsdMicros: 30n * USD }));
    await database.shiftClock('90 days');
    expect(await verdictOf(agentId, 1n)).toBe('daily_limit');
  });

  it('counts nothing of what failed or died', async () => {
    const agentId = await newAgent(database, { dailyLimitUsdMicros: 30n * USD });
    await spend(ledger, agentId, 30n * USD, 'failed');
    await spend(ledger, agentId, 30n * USD, 'dead');
    expect(await verdictOf(agentId, 30n * USD)).toBe('granted');
  });

  it('says when the oldest value leaves', async () => {
    const agentId = await newAgent(database, { dailyLimitUsdMicros: 30n * USD });
    await spend(ledger, agentId, 10n * USD);
    const [{ at }] = (await database.rows(
      'select settled_at as at from reservations where agent_id = $1',
      agentId,
    )) as [{ at: Date }];
    await database.shiftClock('1 hour');
    await spend(ledger, agentId, 10n * USD);
    const refused = await ledger.authorize(request(agentId, { valueUsdMicros: 11n * USD }));
    expect(refused).toMatchObject({ verdict: 'daily_limit', settledUsdMicros: 20n * USD, reservedUsdMicros: 0n });
    expect(refused!.resetsAtMs).toBe(at.getTime() + 24 * 3_600_000);
  });

  it('cannot be moved by the role of the service', async () => {
    await expect(database.rows(`update clock_shift set shift = '25 hours'`)).rejects.toThrow('only a superuser');
    await expect(database.rows(`delete from clock_shift`)).rejects.toThrow('only a superuser');
  });
});

describe('many requests at once', () => {
  it('grants exactly 10 of 50 under a cap for 10, from two replicas', async () => {
    const agentId = await newAgent(database, { dailyLimitUsdMicros: 100n * USD });
    const both = [ledger, replica];
    const decisions = await Promise.all(Array.from({ length: 50 }, (_, n) => both[n % 2]!.authorize(request(agentId))));
    expect(granted(decisions)).toBe(10);
    expect(await ledger.foresee({ agentId, recipient: '', valueUsdMicros: 1n })).toMatchObject({
      reservedUsdMicros: 100n * USD,
      settledUsdMicros: 0n,
    });
  });

  it('grants exactly 10 of 50 when nothing goes together', async () => {
    const agentId = await newAgent(database, { dailyLimitUsdMicros: 100n * USD });
    const decisions = await Promise.all(
      Array.from({ length: 50 }, () => new PostgresLedger(database.policy).authorize(request(agentId))),
    );
    expect(granted(decisions)).toBe(10);
  });

  it('grants nothing under the old policy once a change was answered', async () => {
    const agentId = await newAgent(database, { dailyLimitUsdMicros: 10_000n * USD });
    const before = Array.from({ length: 50 }, (_, n) => [ledger, replica][n % 2]!.authorize(request(agentId)));
    await policies.change(agentId, (policy) => ({ ...policy, dailyLimitUsdMicros: 50n * USD }));
    const { reservedUsdMicros } = (await ledger.foresee({ agentId, recipient: '', valueUsdMicros: 1n }))!;
    const total = granted(await Promise.all(before));
    const allowed = reservedUsdMicros > 50n * USD ? reservedUsdMicros : 50n * USD;
    expect(BigInt(total) * 10n * USD).toBeLessThanOrEqual(allowed);
    expect(await verdictOf(agentId, 50n * USD)).toBe(total === 0 ? 'granted' : 'daily_limit');
  });

  it('settles once however many ask', async () => {
    const agentId = await newAgent(database);
    const asked = request(agentId);
    await ledger.authorize(asked);
    const attempt = (await ledger.find(asked))!;
    const states = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        [ledger, replica][n % 2]!.conclude(attempt, n % 3 === 0 ? 'settled' : 'dead'),
      ),
    );
    expect(new Set(states).size).toBe(1);
    const standing = await ledger.foresee({ agentId, recipient: '', valueUsdMicros: 1n });
    expect(standing).toMatchObject({
      reservedUsdMicros: 0n,
      settledUsdMicros: states[0] === 'settled' ? 10n * USD : 0n,
    });
  });

  it('answers each request of a batch for itself', async () => {
    const agentId = await newAgent(database, { dailyLimitUsdMicros: 25n * USD, allowedRecipients: [RECIPIENT] });
    const repeated = request(agentId);
    const decisions = await Promise.all([
      ledger.authorize(request(agentId, { valueUsdMicros: 1n * USD })),
      ledger.authorize(repeated),
      ledger.authorize(repeated),
      ledger.authorize(request(agentId, { recipient: WALLET })),
      ledger.authorize({ ...repeated, messageHash: Buffer.alloc(32) }),
      ledger.authorize(request(agentId, { valueUsdMicros: 15n * USD })),
      ledger.authorize(request(agentId, { valueUsdMicros: 14n * USD })),
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
    for (let i = 0; i < 3; i += 1) expect((await ledger.authorize(asked))?.verdict).toBe('granted');
    expect((await ledger.authorize(asked))?.reservedUsdMicros).toBe(10n * USD);
  });

  it('keeps the value it was reserved with, price or no price', async () => {
    const agentId = await newAgent(database);
    const asked = request(agentId);
    await ledger.authorize(asked);
    for (const valueUsdMicros of [99n * USD, undefined, 1n]) {
      expect(await ledger.authorize({ ...asked, valueUsdMicros })).toMatchObject({
        verdict: 'granted',
        valueUsdMicros: 10n * USD,
      });
    }
  });

  it('is not permitted again when the policy in force no longer allows it', async () => {
    const agentId = await newAgent(database);
    const asked = request(agentId);
    await ledger.authorize(asked);
    await policies.change(agentId, (policy) => ({ ...policy, dailyLimitUsdMicros: 10n * USD }));
    expect((await ledger.authorize(asked))?.verdict).toBe('granted');
    await policies.change(agentId, (policy) => ({ ...policy, dailyLimitUsdMicros: 10n * USD - 1n }));
    expect((await ledger.authorize(asked))?.verdict).toBe('daily_limit');
    await policies.change(agentId, (policy) => ({ ...policy, allowedRecipients: [WALLET] }));
    expect((await ledger.authorize(asked))?.verdict).toBe('recipient_not_allowed');
    expect((await ledger.find(asked))?.state).toBe('open');
  });

  it('takes no other message, intent or agent', async () => {
    const [agentId, other] = await Promise.all([newAgent(database), newAgent(database)]);
    const asked = request(agentId);
    await ledger.authorize(asked);
    const verdict = async (change: object) => (await ledger.authorize({ ...asked, ...change }))?.verdict;
    expect(await verdict({ messageHash: Buffer.alloc(32, 9) })).toBe('conflict_other_message');
    expect(await verdict({ intent: Buffer.from('0a0131', 'hex') })).toBe('conflict_other_intent');
    expect(await verdict({ agentId: other })).toBe('conflict_other_agent');
    expect(await verdict({ agentId: other, attempt: 2 })).toBe('conflict_prior_attempt_may_land');
    expect(await ledger.foresee({ agentId: other, recipient: '', valueUsdMicros: 1n })).toMatchObject({
      reservedUsdMicros: 0n,
    });
  });

  it('belongs to one agent even when two take it at the same time', async () => {
    const agents = await Promise.all(Array.from({ length: 6 }, () => newAgent(database)));
    const asked = request(agents[0]!);
    const answers = await Promise.allSettled(
      agents.map((agentId, n) => [ledger, replica][n % 2]!.authorize({ ...asked, agentId })),
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
      ['dead', 'granted'],
    ] as const) {
      const agentId = await newAgent(database);
      const first = request(agentId);
      const second = { ...request(agentId), operationId: first.operationId, attempt: 2 };
      await ledger.authorize(first);
      expect((await ledger.authorize(second))?.verdict).toBe('conflict_prior_attempt_may_land');
      await ledger.conclude((await ledger.find(first))!, state);
      expect((await ledger.authorize(first))?.verdict).toBe('conflict_attempt_is_over');
      expect((await ledger.authorize({ ...second, attempt: 3 }))?.verdict).toBe('conflict_prior_attempt_may_land');
      expect((await ledger.authorize(second))?.verdict).toBe(verdict);
    }
  });

  it('has a further attempt checked against the policy in force then', async () => {
    const agentId = await newAgent(database);
    const first = request(agentId);
    await ledger.authorize(first);
    await ledger.conclude((await ledger.find(first))!, 'dead');
    await policies.change(agentId, (policy) => ({ ...policy, maxSingleTransactionUsdMicros: 1n * USD }));
    const second = { ...request(agentId), operationId: first.operationId, attempt: 2 };
    expect((await ledger.authorize(second))?.verdict).toBe('single_transaction_limit');
  });
});
