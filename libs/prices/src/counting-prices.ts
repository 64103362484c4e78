import { type Clock, sleep, type UsdPrice } from '@agent-wallet/kernel';
import { differsByMoreThan } from './price-distance.js';
import type { ReadingOptions } from './price-source.js';
import { isKnown, type KnownPrice, type PriceResult, type UsdPrices } from './usd-prices.js';

/** A price of a source that is independent of the aggregator. */
export interface OraclePrice {
  /** US dollars for one whole token. */
  readonly price: UsdPrice;
  /** Unix milliseconds. */
  readonly publishedAtMs: number;
  /** Unix milliseconds at which the source was read. */
  readonly readAtMs: number;
}

/** Reason why the oracle has no usable price of a token that it lists. */
export type OracleUnavailable = 'oracle_missing' | 'oracle_stale' | 'oracle_uncertain';

/** A source of prices that is independent of the aggregator: the second one, or the only one without an aggregator. */
export interface Oracle {
  /**
   * Returns a result for every mint that the oracle lists, and none for the others.
   * @throws AppError UPSTREAM_ERROR or UPSTREAM_TIMEOUT
   */
  prices(
    mints: readonly string[],
    options?: ReadingOptions,
  ): Promise<ReadonlyMap<string, OraclePrice | OracleUnavailable>>;
}

/** Dependencies of prices that count. */
export interface CountingPricesOptions {
  /** Known and fresh prices of the aggregator. */
  readonly fresh: UsdPrices;
  /** Without one, the aggregator alone is believed. */
  readonly oracle?: Oracle | undefined;
  /** The least liquidity behind a price, in whole dollars. */
  readonly minLiquidityUsd: bigint;
  readonly clock: Clock;
  /** Waits; for tests. */
  readonly pause?: (durationMs: number) => Promise<void>;
}

/**
 * Age up to which a reading is compared again where the sources disagree. Each keeps its readings for seconds, so that one
 * of them may be from before a move. No price is read more often than that: where younger ones disagree, this is waited.
 */
const REREAD_AFTER_MS = 1_000;

/** The band: the most by which the aggregator's price may differ from the oracle's, in percent of the oracle's. */
export const ORACLE_BAND_PERCENT = 5n;

/**
 * Prices that a limit may be measured with: enough liquidity stands behind the aggregator's price, and where the oracle
 * lists the token, its price is fresh, certain, and within the band. Without liquidity anyone moves a price for little;
 * without a second source one liar moves every price.
 */
export function countingPrices(options: CountingPricesOptions): UsdPrices {
  const { fresh, oracle, minLiquidityUsd, clock, pause = sleep } = options;
  const judge = (answer: PriceResult, second: OraclePrice | OracleUnavailable | undefined): PriceResult => {
    if (!isKnown(answer)) return answer;
    if (!isLiquid(answer, minLiquidityUsd)) return { unavailable: 'illiquid' };
    if (typeof second === 'string') return { unavailable: second };
    const agrees = !second || !differsByMoreThan(answer.price, second.price, ORACLE_BAND_PERCENT);
    return agrees ? answer : { unavailable: 'oracle_disagrees' };
  };
  const read = async (mints: readonly string[], options?: ReadingOptions) => {
    const [first, second] = await Promise.all([fresh.prices(mints, options), oracle?.prices(mints, options)]);
    return new Map([...first].map(([mint, answer]) => [mint, judge(answer, second?.get(mint))]));
  };
  /** Reads disputed prices again, in place. */
  const readAgain = async (judged: Map<string, PriceResult>, readAfterMs: number) => {
    const disputed = [...judged].flatMap(([mint, answer]) => (isDisputed(answer) ? [mint] : []));
    if (disputed.length === 0) return;
    for (const [mint, answer] of await read(disputed, { readAfterMs })) judged.set(mint, answer);
  };
  return {
    prices: async (mints: readonly string[], { readAfterMs = -Infinity }: ReadingOptions = {}) => {
      const judged = await read(mints, { readAfterMs });
      const nowMs = clock.nowMs();
      await readAgain(judged, Math.max(readAfterMs, nowMs - REREAD_AFTER_MS));
      if (![...judged.values()].some(isDisputed)) return judged;
      await pause(REREAD_AFTER_MS);
      await readAgain(judged, Math.max(readAfterMs, nowMs));
      return judged;
    },
  };
}

function isDisputed(answer: PriceResult): boolean {
  return !isKnown(answer) && answer.unavailable === 'oracle_disagrees';
}

function isLiquid({ liquidityUsd }: KnownPrice, minLiquidityUsd: bigint): boolean {
  return minLiquidityUsd === 0n || (liquidityUsd !== null && liquidityUsd >= minLiquidityUsd);
}
