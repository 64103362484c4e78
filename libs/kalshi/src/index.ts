export { type ApiKey, signKalshiRequest } from './access/sign-request.js';
export { readKalshiError } from './api/errors.js';
export { type EventRecord, eventResponse, eventsResponse } from './api/event.js';
export { endpointCostsResponse, limitsResponse, statusResponse, userDataTimestampResponse } from './api/exchange.js';
export {
  milestoneResponse,
  type MilestoneRecord,
  milestonesResponse,
  structuredTargetResponse,
  type StructuredTargetRecord,
  structuredTargetsResponse,
} from './api/catalog-events.js';
export { marketResponse, type MarketRecord, marketsResponse, type MarketStatus } from './api/market.js';
export { orderbookResponse } from './api/orderbook.js';
export {
  balanceResponse,
  createOrderResponse,
  type CreateOrderBody,
  fillsResponse,
  ordersResponse,
  positionsResponse,
  settlementsResponse,
} from './api/portfolio.js';
export { type CategoryRecord, sportsResponse, type SportsRecord, tagsResponse } from './api/search.js';
export { seriesResponse, seriesListResponse, type SeriesRecord } from './api/series.js';
export type { FeeTerms } from './money/fee-terms.js';
export {
  feeTermsOf,
  isPossibleFee,
  roundingAllowanceUsdMicros,
  takerFeeUsdMicros,
  worstTakerFeeUsdMicros,
} from './money/fees.js';
export { countText, DOLLAR_USD_MICROS, priceText } from './money/fixed-point.js';
export { onGrid, type PriceRange } from './money/price-grid.js';
export { asksFor, bidsFor, type Book, type PriceLevel } from './orders/book.js';
export { type Side, toBookOrder } from './orders/side.js';
