import type { AcceptedPrices } from '@agent-wallet/prices';
import { valueOf } from '../../domain/value.js';
import { priceOf, readPrices } from './known-prices.js';

/** So much of one token. */
export interface TokenAmount {
  readonly mint: string;
  /** Base units. */
  readonly amount: bigint;
  readonly decimals: number;
}

/**
 * Returns the value of an amount at the highest price of the last 24 hours, in micro-dollars, rounded up; undefined
 * without a price for a token of these decimals.
 * @throws PricesAway when prices cannot be asked for
 */
export async function tokenValue(prices: AcceptedPrices, spent: TokenAmount): Promise<bigint | undefined> {
  const price = priceOf(await readPrices(prices, [spent.mint]), spent);
  return price && valueOf({ ...spent, price: price.highest, rent: undefined });
}
