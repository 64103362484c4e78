import type { intentV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { PostgresReservationStore } from '../src/adapters/postgres-reservation-store.js';
import { additionFairness } from '../src/domain/trade-fairness.js';
import type { ReservationRequest } from '../src/ports/reservation-store.js';
import { PolicyUnderTest } from './policy-under-test.js';
import { addIntent, newPool, removeIntent, type TestPool } from './pools.js';
import { authorization, newWallet, swapIntent, transferIntent } from './service.js';
import { granted, newAgent, openStore, request, type ReservationsUnderTest, USD } from './store-support.js';

// Generous: many requests run at once, maybe on a busy machine.

/** A request for a fair addition of ten dollars, six of them of the first token. */
function addition(agentId: string, change: Partial<ReservationRequest> = {}): ReservationRequest {
  const value = 10n * USD;
  return request(agentId, {
    ...{ kind: 'liquidity_add', recipient: undefined, acquiredMints: ['mint0', 'mint1'] },
    ...{ valueUsdMicros: value, side0UsdMicros: 6n * USD, trade: additionFairness(value, value, 50) },
    ...change,
  });
}

/** A request for a fair trade of ten dollars. */
const trade = (agentId: string) =>
  request(agentId, {
    ...{ kind: 'trade', recipient: undefined, acquiredMints: ['mint0'] },
    trade: additionFairness(10n * USD, 10n * USD, 50),
  });

const removal = (agentId: string) =>
  request(agentId, { kind: 'liquidity_remove', recipient: undefined, valueUsdMicros: 0n });

describe('two replicas', () => {
  let opened: ReservationsUnderTest;
  let replicas: readonly [PostgresReservationStore, PostgresReservationStore];

  beforeAll(async () => {
    opened = await openStore();
    replicas = [opened.store, opened.replica];
  });
  afterAll(() => opened.close());

  const standing = async (agentId: string) => {
    const seen = await opened.store.dryRun({ agentId, kind: 'payment', recipient: '', valueUsdMicros: 1n });
    return { reserved: seen!.reservedUsdMicros, settled: seen!.settledUsdMicros };
  };

  it('grant exactly 10 of 50 additions at once under a cap for 10', async () => {
    const agentId = await newAgent(opened.database, { dailyLimitUsdMicros: 100n * USD });
    const decisions = await Promise.all(
      Array.from({ length: 50 }, (_, n) => replicas[n % 2]!.reserve(addition(agentId))),
    );
    expect(granted(decisions)).toBe(10);
    expect(await standing(agentId)).toEqual({ reserved: 100n * USD, settled: 0n });
  });

  it('grant exactly 10 of 60 additions, payments and trades at once, and every removal', async () => {
    const agentId = await newAgent(opened.database, { dailyLimitUsdMicros: 100n * USD });
    const kinds = [addition, request, trade];
    const [spent, removed] = await Promise.all([
      Promise.all(Array.from({ length: 60 }, (_, n) => replicas[n % 2]!.reserve(kinds[n % 3]!(agentId)))),
      Promise.all(Array.from({ length: 20 }, (_, n) => replicas[n % 2]!.reserve(removal(agentId)))),
    ]);
    expect(granted(spent)).toBe(10);
    expect(granted(removed)).toBe(20);
    expect(await standing(agentId)).toEqual({ reserved: 100n * USD, settled: 0n });
  });

  it('never count less than what left while additions settle to less beside new requests', async () => {
    const agentId = await newAgent(opened.database, { dailyLimitUsdMicros: 100n * USD });
    const worker = async (n: number) => {
      const mine = replicas[n % 2]!;
      for (let round = 0; round < 6; round += 1) {
        const asked = [addition, request, trade][(n + round) % 3]!(agentId);
        const decision = await mine.reserve(asked);
        const { reserved, settled } = await standing(agentId);
        expect(reserved + settled).toBeLessThanOrEqual(100n * USD);
        const attempt = decision?.verdict === 'granted' ? await mine.find(asked) : undefined;
        if (!attempt) continue;
        const left = asked.kind === 'liquidity_add' ? { valueUsdMicros: 7n * USD } : {};
        await Promise.all(replicas.map((each) => each.settle(attempt, { state: 'settled', ...left })));
      }
    };
    await Promise.all(Array.from({ length: 12 }, (_, n) => worker(n)));
    const [row] = await opened.database.rows<{ sum: string; additions: string }>(
      `select sum(value_usd_micros)::text as sum, count(*) filter (where value_usd_micros = 7000000)::text as additions
       from reservations where agent_id = $1`,
      agentId,
    );
    expect(Number(row!.additions)).toBeGreaterThan(0);
    expect(await standing(agentId)).toEqual({ reserved: 0n, settled: BigInt(row!.sum) });
    expect(BigInt(row!.sum)).toBeGreaterThan(90n * USD);
  });

  it('settle an addition once, by the first value, and never above what was reserved', async () => {
    const agentId = await newAgent(opened.database);
    const asked = addition(agentId);
    await opened.store.reserve(asked);
    const attempt = (await opened.store.find(asked))!;
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        replicas[n % 2]!.settle(attempt, { state: 'settled', valueUsdMicros: BigInt(n + 1) * USD }),
      ),
    );
    const first = (await standing(agentId)).settled;
    expect(first).toBeLessThanOrEqual(10n * USD);
    await opened.store.settle(attempt, { state: 'settled', valueUsdMicros: 1n });
    expect(await standing(agentId)).toEqual({ reserved: 0n, settled: first });
    const another = addition(agentId);
    await opened.store.reserve(another);
    await opened.store.settle((await opened.store.find(another))!, { state: 'settled', valueUsdMicros: 11n * USD });
    expect(await standing(agentId)).toEqual({ reserved: 0n, settled: first + 10n * USD });
  });

  it('let the settled value leave the window with what it counts', async () => {
    const agentId = await newAgent(opened.database);
    const asked = addition(agentId);
    await opened.store.reserve(asked);
    await opened.store.settle((await opened.store.find(asked))!, { state: 'settled', valueUsdMicros: 7n * USD });
    await opened.database.shiftClock('23:59:00');
    expect(await standing(agentId)).toEqual({ reserved: 0n, settled: 7n * USD });
    await opened.database.shiftClock('24:01:00');
    expect(await standing(agentId)).toEqual({ reserved: 0n, settled: 0n });
    await opened.store.reserve(request(agentId, { valueUsdMicros: USD }));
    expect(await standing(agentId)).toEqual({ reserved: USD, settled: 0n });
    await opened.database.shiftClock('0');
  });

  it('settle an addition that landed before the window to nothing', async () => {
    const agentId = await newAgent(opened.database);
    const asked = addition(agentId);
    await opened.store.reserve(asked);
    await opened.database.rows(
      "update reservations set created_at = created_at - interval '3 days' where agent_id = $1",
      agentId,
    );
    const attempt = (await opened.store.find(asked))!;
    const landedAtMs = Date.now() - 2 * 86_400_000;
    await opened.store.settle(attempt, { state: 'settled', valueUsdMicros: 7n * USD, landedAtMs });
    expect(await standing(agentId)).toEqual({ reserved: 0n, settled: 0n });
  });
});

describe('fifty that ask policy at once', () => {
  let policy: PolicyUnderTest;
  let pool: TestPool;
  const { address } = newWallet();

  beforeAll(async () => {
    policy = await PolicyUnderTest.start();
    pool = newPool(policy.world);
  });
  afterAll(() => policy.stop());
  beforeEach(() => policy.newAgent());

  const ask = (intent: intentV1.Intent) =>
    policy.askerOf(intent).authorize(authorization(policy.agentId, intent).request);

  /** The reserved values of what was granted; what was refused was by the daily limit. */
  async function reservedBy(intents: readonly intentV1.Intent[]): Promise<bigint[]> {
    const results = await Promise.allSettled(intents.map(ask));
    return results.flatMap((result) => {
      if (result.status === 'fulfilled') return result.value.reservedUsdMicros;
      expect(result.reason).toMatchObject({ data: { rule: 'daily_limit' } });
      return [];
    });
  }

  it('for additions get as many as fit the day', async () => {
    await policy.change({ dailyLimitUsdMicros: 100n * USD + 500_000n });
    const values = await reservedBy(Array.from({ length: 50 }, () => addIntent(address, pool)));
    expect(values).toEqual(Array.from({ length: 5 }, () => 20_100_000n));
    expect(await policy.usage()).toEqual({ used: 0n, reserved: 100n * USD + 500_000n });
  });

  it('for additions, payments, trades and removals stay within the day together', async () => {
    const limit = 100n * USD;
    await policy.change({ dailyLimitUsdMicros: limit });
    const kinds = [
      () => addIntent(address, pool),
      () => transferIntent(address, { amount: 3n * USD }),
      () => swapIntent(address, { inputAmount: 5n * USD }),
      () => removeIntent(address, pool),
    ];
    const values = await reservedBy(Array.from({ length: 50 }, (_, n) => kinds[n % 4]!()));
    const total = values.reduce((sum, value) => sum + value, 0n);
    expect(values.filter((value) => value === 0n)).toHaveLength(12);
    expect(total).toBeLessThanOrEqual(limit);
    expect(total).toBeGreaterThan(limit - 20_100_000n);
    expect(await policy.usage()).toEqual({ used: 0n, reserved: total });
  });

  it('for the same addition get one reservation', async () => {
    const { request: asked } = authorization(policy.agentId, addIntent(address, pool));
    await Promise.all(Array.from({ length: 50 }, () => policy.swap.authorize(asked)));
    expect(await policy.usage()).toEqual({ used: 0n, reserved: 20_100_000n });
    const other = { ...asked, operationId: newId() };
    expect(await policy.swap.authorize(other)).toMatchObject({ reservedUsdMicros: 20_100_000n });
  });
});
