import { AppError, withRetry } from '@agent-wallet/kernel';
import type { AcceptedPrice, AcceptedPrices } from '@agent-wallet/prices';
import { ATTRIBUTES, count, METRICS } from '@agent-wallet/telemetry';

/** A refusal is final for its operation, so one hiccup of an upstream must not be one. */
const RETRY_PAUSES_MS = [200, 400, 800];

/** Not our own database being away, which says nothing of prices: the caller asks again. */
const UPSTREAM_IS_AWAY: ReadonlySet<string> = new Set(['UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT']);

/**
 * Returns the prices that are known.
 * @throws PricesAway when they cannot be asked for; AppError SERVICE_UNAVAILABLE when the accepted ones are not to be had
 */
export async function knownPrices(
  prices: AcceptedPrices,
  mints: readonly string[],
): Promise<Map<string, AcceptedPrice>> {
  try {
    const known = new Map<string, AcceptedPrice>();
    for (const [mint, answer] of await prices.prices(mints)) {
      if ('price' in answer) known.set(mint, answer);
      else count(METRICS.policyUnpriced, { attributes: { [ATTRIBUTES.unpriced.name]: answer.unavailable } });
    }
    return known;
  } catch (error) {
    if (error instanceof AppError && UPSTREAM_IS_AWAY.has(error.code)) throw new PricesAway(error);
    throw error;
  }
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
