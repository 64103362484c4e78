export {
  type AcceptedPrice,
  type AcceptedPrices,
  type AcceptedPricesOptions,
  type AcceptedPriceStore,
  type AcceptedResult,
  acceptedPrices,
  type NoAcceptedPrice,
  type StoredPrice,
} from './accepted-prices.js';
export { AggregatorStatusError } from './aggregator-api.js';
export { type CountingPricesOptions, countingPrices, type Oracle, ORACLE_BAND_PERCENT } from './counting-prices.js';
export { type FreshPricesOptions, freshPrices } from './fresh-prices.js';
export { type PeggedPricesOptions, peggedPrices, type PeggedTokens } from './pegged-prices.js';
export { readPeggedTokens } from './pegged-tokens.js';
export type { TimedBlock } from './known-blocks.js';
export {
  type BlockTimes,
  CHAIN_CLOCK_TOLERANCE_MS,
  type ChainPriceClockOptions,
  chainPriceClock,
  type PriceClock,
} from './price-clock.js';
export { MAX_REQUESTED_PRICES, policyPrices, pricesMessage } from './policy-prices.js';
export { openPriceReader, type PriceReader, type PriceReaderOptions } from './price-reader.js';
export {
  MAX_PRICED_MINTS,
  openPriceApi,
  type PriceApiOptions,
  type PriceEntry,
  type PriceSource,
  type ReadingOptions,
} from './price-source.js';
export { type Feed, PYTH_PROGRAMS, pythFeeds, type PythPrograms } from './pyth/feeds.js';
export { pythOracle, type PythOracleOptions, type PythSettings } from './pyth/pyth-oracle.js';
export { pythPrices } from './pyth/pyth-prices.js';
export type { PriceReading } from './read-prices.js';
export type { VerifiedToken } from './read-tokens.js';
export { sourceProblems } from './source-problems.js';
export { isKnown, type KnownPrice, type PriceResult, type PriceUnavailable, type UsdPrices } from './usd-prices.js';
export {
  type LookUpFor,
  NO_VERIFIED_TOKENS,
  openVerifiedTokens,
  type VerifiedTokens,
  type VerifiedTokensOptions,
} from './verified-tokens.js';
