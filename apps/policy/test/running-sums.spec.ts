import { propertyRuns } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PostgresReservationStore } from '../src/adapters/postgres-reservation-store.js';
import type { Attempt } from '../src/domain/attempt.js';
import type { Decision, Grant } from '../src/domain/decision.js';
import type { ReservationRequest } from '../src/ports/reservation-store.js';
import { openPolicyDatabase, type PolicyDatabase } from './database.js';
import { newAgent, request, USD } from './store-support.js';

let database: PolicyDatabase;
let store: PostgresReservationStore;

beforeAll(async () => {
  database = await openPolicyDatabase();
  store = new PostgresReservationStore(database.policy);
});
afterAll(() => database.close());

/** What the sums stand for, added up row by row. */
const NAIVE = `select
  coalesce(sum(value_usd_micros) filter (where state = 'open'), 0)::text as reserved,
  coalesce(sum(value_usd_micros) filter (where state = 'settled'
    and settled_at > to_timestamp($2::double precision / 1000)), 0)::text as settled
  from reservations where agent_id = $1`;

type Step =
  | { readonly kind: 'reserve'; readonly value: bigint }
  | {
      readonly kind: 'end';
      readonly pick: number;
      readonly outcome: 'settled' | 'failed' | 'expired';
      readonly late: number;
    }
  | { readonly kind: 'move'; readonly minutes: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('reserve' as const), value: fc.bigInt(1n, 8n * USD) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      pick: fc.nat(50),
      outcome: fc.constantFrom('settled', 'settled', 'settled', 'failed', 'expired'),
      // Minutes since the landing.
      late: fc.oneof(fc.constant(0), fc.integer({ min: -60, max: 2_000 })),
    }),
  },
  // Small steps and exact days, so that values stand right at the edge; sometimes back, as clocks do.
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      minutes: fc.oneof(
        fc.constantFrom(1_440, 1_439, 1_380, -1_440, 0),
        fc.integer({ min: -45, max: 45 }),
        fc.integer({ min: -400, max: 1_500 }),
      ),
    }),
  },
);

describe('the running sums', () => {
  it('are the naive sums after any operations at any times, and so are the decisions', async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      const dailyLimitUsdMicros = 100n * USD;
      const agentId = await newAgent(database, { dailyLimitUsdMicros });
      const open: Attempt[] = [];
      let minutes = 0;
      await database.shiftClock('0');
      for (const each of steps) {
        if (each.kind === 'move') {
          minutes += each.minutes;
          await database.shiftClock(`${minutes} minutes`);
        } else if (each.kind === 'end' && open.length > 0) {
          const [attempt] = open.splice(each.pick % open.length, 1);
          await store.settle(attempt!, {
            state: each.outcome,
            landedAtMs: Date.now() + (minutes - each.late) * 60_000,
          });
        } else if (each.kind === 'reserve') {
          const asked = request(agentId, { valueUsdMicros: each.value });
          const decision = (await store.reserve(asked))!;
          const naive = await naiveAt(agentId, await windowStart(decision, asked));
          const isGranted = decision.verdict === 'granted';
          const before = naive.reserved + naive.settled - (isGranted ? each.value : 0n);
          expect(isGranted).toBe(before + each.value <= dailyLimitUsdMicros);
          if (isGranted) open.push((await store.find(asked))!);
        }
        await expectNaive(agentId);
      }
    });
    await fc.assert(property, { numRuns: propertyRuns(25) });
  });

  /** A plain yes comes without figures, but its row tells when it was decided. */
  async function windowStart(decision: Grant | Decision, { operationId }: ReservationRequest): Promise<number> {
    if ('windowStartsAtMs' in decision) return decision.windowStartsAtMs;
    const [row] = await database.rows<{ at: Date }>(
      'select created_at as at from reservations where operation_id = $1',
      operationId,
    );
    return row!.at.getTime() - 24 * 3_600_000;
  }

  it('stay exact while replicas reserve, settle and release at once', async () => {
    await database.shiftClock('0');
    const agentId = await newAgent(database, { dailyLimitUsdMicros: 100_000n * USD });
    const ledgers = [store, new PostgresReservationStore(database.another())];
    const outcomes = ['settled', 'failed', 'expired'] as const;
    const worker = async (n: number) => {
      for (let i = 0; i < 15; i += 1) {
        const mine = ledgers[(n + i) % 2]!;
        const asked = request(agentId, { valueUsdMicros: BigInt(1 + n * 100 + i) });
        await mine.reserve(asked);
        // Some are found long after they landed.
        const landedAtMs = i % 2 === 0 ? undefined : Date.now() - n * 3 * 3_600_000;
        if (i % 4 !== 3) await mine.settle((await mine.find(asked))!, { state: outcomes[(n + i) % 3]!, landedAtMs });
      }
    };
    await Promise.all(Array.from({ length: 12 }, (_, n) => worker(n)));
    await expectNaive(agentId);
  });
});

async function naiveAt(agentId: string, windowStartsAtMs: number): Promise<{ reserved: bigint; settled: bigint }> {
  const [sums] = await database.rows<{ reserved: string; settled: string }>(NAIVE, agentId, windowStartsAtMs);
  return { reserved: BigInt(sums!.reserved), settled: BigInt(sums!.settled) };
}

async function expectNaive(agentId: string): Promise<void> {
  const standing = (await store.dryRun({ agentId, kind: 'payment', recipient: '', valueUsdMicros: 1n }))!;
  const naive = await naiveAt(agentId, standing.windowStartsAtMs);
  expect({ reserved: standing.reservedUsdMicros, settled: standing.settledUsdMicros }).toEqual(naive);
}
