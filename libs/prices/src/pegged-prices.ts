import { type Clock, parseUsdPrice } from '@agent-wallet/kernel';
import type { ReadingOptions } from './price-source.js';
import { isKnown, type PriceResult, type UsdPrices } from './usd-prices.js';

/** The operator's pegged stable coins: their decimals by mint. */
export type PeggedTokens = ReadonlyMap<string, number>;

/** Dependencies of pegged prices. */
export interface PeggedPricesOptions {
  readonly pegged: PeggedTokens;
  /** Prices of all other tokens, and of pegged ones where it knows them. */
  readonly market: UsdPrices;
  readonly clock: Clock;
}

const PEG = parseUsdPrice('1');

/**
 * Prices in which each pegged token is worth one US dollar. Where the market has a price of it, that is its price, and the
 * higher one of both values what leaves: a token that has lost its peg opens no limit.
 */
export function peggedPrices({ pegged, market, clock }: PeggedPricesOptions): UsdPrices {
  const valued = (mint: string, answer: PriceResult): PriceResult => {
    const decimals = pegged.get(mint);
    if (decimals === undefined) return answer;
    if (isKnown(answer)) return { ...answer, decimals, fallenFrom: PEG };
    const nowMs = clock.nowMs();
    return { price: PEG, decimals, liquidityUsd: null, pricedAtMs: nowMs, readAtMs: nowMs };
  };
  return {
    prices: async (mints: readonly string[], options?: ReadingOptions) => {
      const found = await market.prices(mints, options);
      return new Map([...found].map(([mint, answer]) => [mint, valued(mint, answer)]));
    },
  };
}
