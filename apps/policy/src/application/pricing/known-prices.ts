import { AppError, withRetry } from '@agent-wallet/kernel';
import type { AcceptedPrice, AcceptedPrices, AcceptedResult } from '@agent-wallet/prices';
import { ATTRIBUTES, count, METRICS } from '@agent-wallet/telemetry';

/** A refusal is final for its operation, so one hiccup of an upstream must not be one. */
const RETRY_PAUSES_MS = [200, 400, 800];

/** Not our own database being away, which says nothing of prices: the caller asks again. */
const UPSTREAM_IS_AWAY: ReadonlySet<string> = new Set(['UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT']);

/** Results of a reading of prices, by mint. */
export type PriceResults = ReadonlyMap<string, AcceptedResult>;

/**
 * Reads prices, and counts those that are not available.
 * @throws PricesAway when they cannot be asked for; AppError SERVICE_UNAVAILABLE when the accepted ones are not to be had
 */
export async function readPrices(prices: AcceptedPrices, mints: readonly string[]): Promise<PriceResults> {
  try {
    const found = await prices.prices(mints);
    for (const answer of found.values()) {
      if ('price' in answer) continue;
      count(METRICS.policyUnpriced, { attributes: { [ATTRIBUTES.unpriced.name]: answer.unavailable } });
    }
    return found;
  } catch (error) {
    if (error instanceof AppError && UPSTREAM_IS_AWAY.has(error.code)) throw new PricesAway(error);
    throw error;
  }
}

/** Returns the price of a token; a price for a token of other decimals is the price of something else. */
export function priceOf(
  found: PriceResults,
  { mint, decimals }: { readonly mint: string; readonly decimals: number },
): AcceptedPrice | undefined {
  const answer = found.get(mint);
  return answer && 'price' in answer && answer.decimals === decimals ? answer : undefined;
}

/** Reports whether a token has no market at all, rather than no price at present. */
export function hasNoMarket(found: PriceResults, mint: string): boolean {
  const answer = found.get(mint);
  return answer !== undefined && 'unavailable' in answer && answer.hasNoMarket;
}

/** Prices cannot be asked for: no better than unknown ones. */
class PricesAway extends Error {
  constructor(override readonly cause: AppError) {
    super('prices cannot be asked for', { cause });
    this.name = 'PricesAway';
  }
}

/** Asks an upstream, and again after an error that may pass at once. */
export function askUpstream<T>(ask: () => Promise<T>): Promise<T> {
  return withRetry(ask, (error, failures) => (isHiccup(error) ? RETRY_PAUSES_MS[failures - 1] : undefined));
}

/** Returns whether an upstream returned an error that may pass at once. A slow upstream is not waited for again. */
function isHiccup(error: unknown): boolean {
  const upstream = error instanceof PricesAway ? error.cause : error;
  return upstream instanceof AppError && upstream.code === 'UPSTREAM_ERROR';
}

/** Returns undefined for a value whose prices cannot be requested. @throws every other error */
export function undefinedWithoutPrices(error: unknown): undefined {
  if (!(error instanceof PricesAway)) throw error;
}
