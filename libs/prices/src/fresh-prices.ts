import type { Clock } from '@agent-wallet/kernel';
import type { PriceClock } from './price-clock.js';
import type { PriceReader, ReadingOptions } from './price-reader.js';
import type { PriceReading } from './read-prices.js';
import type { PriceAnswer, UsdPrices } from './usd-prices.js';

/** What fresh prices are made of. */
export interface FreshPricesOptions {
  readonly reader: PriceReader;
  readonly priceClock: PriceClock;
  readonly clock: Clock;
  /** The oldest price that counts, in milliseconds; one of exactly this age does. */
  readonly maxAgeMs: number;
}

/** Prices that are known and not too old. Enough for showing values; limits also need `acceptedPrices`. */
export function freshPrices({ reader, priceClock, clock, maxAgeMs }: FreshPricesOptions): UsdPrices {
  const answerOf = async (reading: PriceReading | undefined): Promise<PriceAnswer> => {
    if (!reading) return { unavailable: 'unknown' };
    const ageMs = await priceClock.ageMs(reading.blockId);
    if (ageMs === null || ageMs > maxAgeMs) return { unavailable: 'stale' };
    const { price, decimals, readAtMs } = reading;
    return { price, decimals, pricedAtMs: clock.nowMs() - ageMs, readAtMs };
  };
  return {
    prices: async (mints: readonly string[], options?: ReadingOptions) => {
      const readings = await reader.prices(mints, options);
      const wanted = [...new Set(mints)];
      await askForTheEnds(readings, priceClock);
      return new Map(
        await Promise.all(wanted.map(async (mint) => [mint, await answerOf(readings.get(mint))] as const)),
      );
    },
  };
}

/** The times of the oldest and the newest block first: those between are then told by them, however many there are. */
async function askForTheEnds(readings: ReadonlyMap<string, PriceReading>, priceClock: PriceClock): Promise<void> {
  const blocks = [...readings.values()].flatMap(({ blockId }) => blockId ?? []);
  if (blocks.length <= 2) return;
  await Promise.all([Math.min(...blocks), Math.max(...blocks)].map((block) => priceClock.ageMs(block)));
}
