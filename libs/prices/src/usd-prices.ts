import type { UsdPrice } from '@agent-wallet/kernel';
import type { ReadingOptions } from './price-source.js';

/** Reason why there is no usable price. */
export type PriceUnavailable =
  /** No source has one, or none that is plausible. */
  | 'unknown'
  /** It is older than allowed, or of unknown age. */
  | 'stale'
  /** It is far from the last accepted one, and no second reading agreed. */
  | 'jump'
  /** Too little liquidity stands behind it. */
  | 'illiquid'
  /** The oracle, which lists the token, has no fresh and certain price. */
  | 'oracle_missing'
  | 'oracle_stale'
  | 'oracle_uncertain'
  /** The oracle's price is too far away. */
  | 'oracle_disagrees';

/** A price to count with. */
export interface KnownPrice {
  /** US dollars for one whole token. */
  readonly price: UsdPrice;
  /**
   * A price that values what leaves where it is higher: the price API's of 24 hours ago, or the peg of a stable coin.
   * Undefined where the price API states no fall.
   */
  readonly fallenFrom?: UsdPrice | undefined;
  /** Decimals of the mint as the source knows them; compare before multiplying. */
  readonly decimals: number;
  /** Whole dollars of liquidity behind the price; null when the source does not say. */
  readonly liquidityUsd: bigint | null;
  /** Unix milliseconds of the block that the price stems from, by the age it had when it was read; or of its publication. */
  readonly pricedAtMs: number;
  /** Unix milliseconds at which the source was read. */
  readonly readAtMs: number;
}

/** A price, or why there is none. */
export type PriceResult = KnownPrice | { readonly unavailable: PriceUnavailable };

/** Prices that are good enough to count with. */
export interface UsdPrices {
  /**
   * Returns a result for every requested mint; the wrapped mint stands for the native coin.
   * @throws AppError UPSTREAM_ERROR or UPSTREAM_TIMEOUT when a source or the chain does not answer
   */
  prices(mints: readonly string[], options?: ReadingOptions): Promise<ReadonlyMap<string, PriceResult>>;
}

/** Reports whether a result is a price. */
export function isKnown(answer: PriceResult | undefined): answer is KnownPrice {
  return answer !== undefined && 'price' in answer;
}
