import { namedTokens, SOLANA_NETWORKS } from '@agent-wallet/kernel';
import type { Oracle, OraclePrice, OracleUnavailable } from '../counting-prices.js';
import type { ReadingOptions } from '../price-source.js';
import type { PriceResult, UsdPrices } from '../usd-prices.js';

const DECIMALS = new Map(SOLANA_NETWORKS.flatMap(namedTokens).map(({ mint, decimals }) => [mint, decimals]));

/**
 * Prices where Pyth is the one source: nothing is compared, and no liquidity is required. Pyth's own rules of age and
 * confidence hold. A token without a feed has no price; without an oracle, no token has one.
 */
export function pythPrices(oracle: Oracle | undefined): UsdPrices {
  return {
    prices: async (mints: readonly string[], options?: ReadingOptions) => {
      const found = await oracle?.prices(mints, options);
      return new Map(mints.map((mint) => [mint, toResult(found?.get(mint), DECIMALS.get(mint))]));
    },
  };
}

function toResult(found: OraclePrice | OracleUnavailable | undefined, decimals: number | undefined): PriceResult {
  if (typeof found === 'string') return { unavailable: found };
  if (!found || decimals === undefined) return { unavailable: 'unknown' };
  const { price, publishedAtMs: pricedAtMs, readAtMs } = found;
  return { price, decimals, liquidityUsd: null, pricedAtMs, readAtMs };
}
