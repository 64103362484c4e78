import { parseUsdPrice, type UsdPrice } from '@agent-wallet/kernel';
import { acceptedPrices, countingPrices, ORACLE_BAND_PERCENT, type PriceResult } from '@agent-wallet/prices';
import { propertyRuns } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PostgresAcceptedPriceStore } from '../src/adapters/postgres-accepted-price-store.js';
import { PostgresReservationStore } from '../src/adapters/postgres-reservation-store.js';
import { tokenValue } from '../src/application/pricing/token-value.js';
import { openPolicyDatabase, type PolicyDatabase } from './database.js';
import { newWallet } from './service.js';
import { newAgent, request, USD } from './store-support.js';

const DAY_MINUTES = 1_440;
const LIMIT = 100n * USD;
/** A token whose base unit is the whole token: amounts are values at a price of a dollar. */
const DECIMALS = 6;

let database: PolicyDatabase;
let store: PostgresReservationStore;

beforeAll(async () => {
  database = await openPolicyDatabase();
  store = new PostgresReservationStore(database.policy);
});
afterAll(() => database.close());

interface Step {
  /** Minutes that pass before. */
  readonly minutes: number;
  /** Hundredths of the honest price before. */
  readonly move: number;
  /** Hundredths of the honest price that the price API says. */
  readonly lie: number;
  readonly amount: bigint;
  /** Whether policy starts again before. */
  readonly restarts: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  minutes: fc.oneof(fc.constantFrom(0, 1, DAY_MINUTES - 1, DAY_MINUTES), fc.integer({ min: 0, max: 300 })),
  move: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 80, max: 120 }) }, fc.constantFrom(30, 100, 300)),
  lie: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 93, max: 107 }) }, fc.constantFrom(1, 50, 100, 1_000)),
  amount: fc.bigInt(1n, 60n * USD),
  restarts: fc.boolean(),
});

interface Sent {
  readonly atMinutes: number;
  readonly honestUsdMicros: bigint;
}

/** The token's world: an honest oracle, and a price API that says anything. */
class World {
  honest: UsdPrice = parseUsdPrice('1');
  said: UsdPrice = parseUsdPrice('1');
  minutes = 0;
  readonly mint = newWallet().address;
  readonly #clock = { nowMs: () => 1_800_000_000_000 + this.minutes * 60_000 };

  open() {
    const said = (): PriceResult => {
      const atMs = this.#clock.nowMs();
      return { price: this.said, decimals: DECIMALS, liquidityUsd: null, pricedAtMs: atMs, readAtMs: atMs };
    };
    const counting = countingPrices({
      fresh: { prices: async () => new Map([[this.mint, said()]]) },
      oracle: { prices: async () => new Map([[this.mint, { price: this.honest, publishedAtMs: 0, readAtMs: 0 }]]) },
      minLiquidityUsd: 0n,
      clock: this.#clock,
      pause: async () => {},
    });
    const accepted = new PostgresAcceptedPriceStore(database.policy);
    return acceptedPrices({ counting, clock: this.#clock, store: accepted, pause: async () => {} });
  }

  async take({ minutes, move, lie }: Step): Promise<void> {
    this.minutes += minutes;
    await database.shiftClock(`${this.minutes} minutes`);
    this.honest = { digits: this.honest.digits * BigInt(move), scale: this.honest.scale + 2 };
    this.said = { digits: this.honest.digits * BigInt(lie), scale: this.honest.scale + 2 };
  }

  honestValue(amount: bigint): bigint {
    return (amount * this.honest.digits) / 10n ** BigInt(this.honest.scale);
  }
}

describe('the daily limit', () => {
  it('holds at the honest price but for the band, whichever prices the price API says', async () => {
    let granted = 0;
    const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const world = new World();
      await database.shiftClock('0');
      const agentId = await newAgent(database, { dailyLimitUsdMicros: LIMIT, maxSingleTransactionUsdMicros: LIMIT });
      let prices = world.open();
      const sent: Sent[] = [];
      for (const each of steps) {
        await world.take(each);
        if (each.restarts) prices = world.open();
        const spent = { mint: world.mint, amount: each.amount, decimals: DECIMALS };
        const decision = await store.reserve(request(agentId, { valueUsdMicros: await tokenValue(prices, spent) }));
        if (decision?.verdict !== 'granted') continue;
        granted += 1;
        sent.push({ atMinutes: world.minutes, honestUsdMicros: world.honestValue(each.amount) });
        const day = sent.filter(({ atMinutes }) => atMinutes > world.minutes - DAY_MINUTES);
        const sum = day.reduce((total, { honestUsdMicros }) => total + honestUsdMicros, 0n);
        expect(sum * (100n - ORACLE_BAND_PERCENT)).toBeLessThanOrEqual(LIMIT * 100n);
      }
    });
    await fc.assert(property, { numRuns: propertyRuns(25) });
    expect(granted).toBeGreaterThan(20);
  });
});
