import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { PostgresReservationStore } from '../src/adapters/postgres-reservation-store.js';
import { end, escrow, type ReservationsUnderTest, newAgent, openStore, payout, USD } from './store-support.js';

const PAID_A_DAY = 1_000n * USD;

let opened: ReservationsUnderTest;
let store: PostgresReservationStore;
let agentId: string;

beforeAll(async () => {
  opened = await openStore({ maxPayoutsPerDay: PAID_A_DAY });
  store = opened.store;
});
afterAll(() => opened.close());
beforeEach(async () => {
  await opened.database.shiftClock('0');
  await opened.database.rows('delete from reservations');
  await opened.database.rows('update payouts set paid_out_amount = 0');
  agentId = await newAgent(opened.database);
});

const standing = async () => {
  const seen = (await store.dryRun({ agentId, kind: 'payment', recipient: '', valueUsdMicros: undefined }))!;
  return { reserved: seen.reservedUsdMicros, settled: seen.settledUsdMicros };
};

describe('what an escrow counts', () => {
  it.each([['settled'], ['open']] as const)(
    'is less by what a payout brought back, the escrow being %s',
    async (state) => {
      const asked = escrow(agentId, 10n * USD);
      const { operationId } = asked;
      if (state === 'settled') await end(store, asked);
      else await store.reserve(asked);
      const counted = async () => {
        const { reserved, settled } = await standing();
        expect(state === 'settled' ? reserved : settled).toBe(0n);
        return reserved + settled;
      };
      const back = payout(agentId, 3n * USD, { operationId });
      await store.reserve(back);
      expect(await counted()).toBe(10n * USD);
      await store.settle((await store.find(back))!, { state: 'settled' });
      await store.settle((await store.find(back))!, { state: 'settled' });
      expect(await counted()).toBe(7n * USD);
      await end(store, payout(agentId, 2n * USD, { operationId, step: 4 }), 'expired');
      await end(store, payout(agentId, 2n * USD, { operationId, step: 5 }), 'failed');
      expect(await counted()).toBe(7n * USD);
      await end(store, payout(agentId, 7n * USD, { operationId, step: 6 }));
      expect(await counted()).toBe(0n);
    },
  );

  it('is settled as what is left of it, and released as that', async () => {
    for (const outcome of ['settled', 'expired'] as const) {
      const asked = escrow(agentId, 10n);
      await store.reserve(asked);
      await end(store, payout(agentId, 4n, { operationId: asked.operationId }));
      expect(await standing()).toEqual({ reserved: 6n, settled: outcome === 'settled' ? 0n : 6n });
      await store.settle((await store.find(asked))!, { state: outcome });
    }
    expect(await standing()).toEqual({ reserved: 0n, settled: 6n });
  });

  it('is rounded up to the micro-dollar, once and not for each payout', async () => {
    const asked = escrow(agentId, 7n, { valueUsdMicros: 10n });
    const { operationId } = asked;
    await end(store, asked);
    const left = [];
    for (let step = 2; step <= 8; step += 1) {
      await end(store, payout(agentId, 1n, { operationId, step }));
      left.push((await standing()).settled);
    }
    expect(left).toEqual([9n, 8n, 6n, 5n, 3n, 2n, 0n]);
  });

  it('is rounded up however little is above a micro-dollar', async () => {
    const left = `select value_left(7, 9000000000000000000, $1::numeric) as left`;
    const leftOf = async (cameBack: bigint) => (await opened.database.rows<{ left: string }>(left, cameBack))[0]!.left;
    expect(await leftOf(5_142_857_142_857_142_857n)).toBe('4');
    expect(await leftOf(5_142_857_142_857_142_858n)).toBe('3');
    expect(await leftOf(0n)).toBe('7');
    expect(await leftOf(9_000_000_000_000_000_000n)).toBe('0');
  });

  it('leaves the window with what is left of it, also when it came back afterwards', async () => {
    const asked = escrow(agentId, 10n);
    await end(store, asked);
    await opened.database.shiftClock('23 hours');
    await end(store, payout(agentId, 4n, { operationId: asked.operationId }));
    expect(await standing()).toEqual({ reserved: 0n, settled: 6n });
    await opened.database.shiftClock('25 hours');
    expect(await standing()).toEqual({ reserved: 0n, settled: 0n });
    await end(store, payout(agentId, 6n, { operationId: asked.operationId, step: 4 }));
    await end(store, escrow(agentId, 1n));
    expect(await standing()).toEqual({ reserved: 0n, settled: 1n });
  });

  it('stays what it is when another operation pays out', async () => {
    await end(store, escrow(agentId, 10n));
    await end(store, payout(agentId, 4n));
    expect(await standing()).toEqual({ reserved: 0n, settled: 10n });
  });

  it('does not hold up the time of the next reset once it is nothing', async () => {
    const asked = escrow(agentId, 10n);
    await end(store, asked);
    await end(store, payout(agentId, 10n, { operationId: asked.operationId }));
    const seen = await store.dryRun({ agentId, kind: 'payment', recipient: '', valueUsdMicros: undefined });
    expect(seen!.resetsAtMs).toBeUndefined();
  });
});
