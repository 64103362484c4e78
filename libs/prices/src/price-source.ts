import { type Clock, type Secret, systemClock } from '@agent-wallet/kernel';
import { openAggregatorApi } from './aggregator-api.js';
import { splitPrices } from './read-prices.js';

/** An entry of the price API. */
export interface PriceEntry {
  /** Unix milliseconds at which the API was asked. */
  readonly readAtMs: number;
  /** JSON as the API wrote it; undefined when it has no price. */
  readonly entry: string | undefined;
}

/** Conditions for a reading. */
export interface ReadingOptions {
  /** Time (Unix milliseconds) after which the API must have been asked. */
  readonly readAfterMs?: number;
  /**
   * Whether values are only shown: a reading may be older, none is waited for long, and what is not to be had is absent. What
   * decides on money has what is left of the aggregator's budget to itself.
   */
  readonly isShown?: boolean;
}

/** Source of the price API's entries. */
export interface PriceSource {
  /**
   * Reads entries of at most 50 mints that the API was asked for after `readAfterMs`. Where values are only shown, some may be
   * absent.
   * @throws AppError UPSTREAM_ERROR or UPSTREAM_TIMEOUT
   */
  read(mints: readonly string[], options: Required<ReadingOptions>): Promise<ReadonlyMap<string, PriceEntry>>;
}

/** Options of the price API. */
export interface PriceApiOptions {
  /** Root of the aggregator's API, as `https://api.jup.ag`. */
  readonly baseUrl: string;
  /** Sent as `x-api-key`; without it the API serves a few calls a minute. */
  readonly apiKey?: Secret<string>;
  /** Time limit of one call; default 5 000 ms. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

/** Maximum number of mints in one call of the price API. */
export const MAX_PRICED_MINTS = 50;

/** Opens Price v3 (`GET /price/v3?ids=`) as a source that asks for each reading. It sends nothing before the first one. */
export function openPriceApi({ clock = systemClock, timeoutMs = 5_000, ...options }: PriceApiOptions): PriceSource {
  const api = openAggregatorApi({ ...options, timeoutMs, clock });
  return {
    read: async (mints) => {
      const readAtMs = clock.nowMs();
      const text = await api.text(`/price/v3?ids=${mints.map(encodeURIComponent).join(',')}`);
      const entries = splitPrices(text, new Set(mints));
      return new Map(mints.map((mint) => [mint, { readAtMs, entry: entries.get(mint) }]));
    },
  };
}
