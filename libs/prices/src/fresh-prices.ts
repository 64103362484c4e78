import type { Clock } from '@agent-wallet/kernel';
import type { PriceClock } from './price-clock.js';
import type { PriceReader } from './price-reader.js';
import type { ReadingOptions } from './price-source.js';
import type { PriceReading } from './read-prices.js';
import type { PriceResult, UsdPrices } from './usd-prices.js';

/** Dependencies of fresh prices. */
export interface FreshPricesOptions {
  readonly reader: PriceReader;
  readonly priceClock: PriceClock;
  readonly clock: Clock;
  /** The oldest price that counts, in milliseconds; one of exactly this age does. */
  readonly maxAgeMs: number;
}

/** Prices that are known and not too old. Enough for showing values; limits also need `acceptedPrices`. */
export function freshPrices({ reader, priceClock, clock, maxAgeMs }: FreshPricesOptions): UsdPrices {
  const answerOf = (reading: PriceReading | undefined, agesMs: ReadonlyMap<number, number>): PriceResult => {
    if (!reading) return { unavailable: 'unknown' };
    const ageMs = reading.blockId === null ? undefined : agesMs.get(reading.blockId);
    if (ageMs === undefined || ageMs > maxAgeMs) return { unavailable: 'stale' };
    const { price, fallenFrom, decimals, liquidityUsd, readAtMs } = reading;
    return { price, fallenFrom, decimals, liquidityUsd, pricedAtMs: clock.nowMs() - ageMs, readAtMs };
  };
  return {
    prices: async (mints: readonly string[], options?: ReadingOptions) => {
      const readings = await reader.prices(mints, options);
      const blockIds = [...readings.values()].flatMap(({ blockId }) => blockId ?? []);
      const agesMs = await priceClock.agesMs(blockIds, maxAgeMs);
      return new Map(mints.map((mint) => [mint, answerOf(readings.get(mint), agesMs)]));
    },
  };
}
