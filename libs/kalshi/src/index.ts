export { type ApiKey, signKalshiRequest } from './access/sign-request.js';
export { readKalshiError } from './api/errors.js';
export { type EventRecord, eventAnswer, eventsAnswer } from './api/event.js';
export { endpointCostsAnswer, limitsAnswer, statusAnswer, userDataTimestampAnswer } from './api/exchange.js';
export {
  milestoneAnswer,
  type MilestoneRecord,
  milestonesAnswer,
  structuredTargetAnswer,
  type StructuredTargetRecord,
  structuredTargetsAnswer,
} from './api/happenings.js';
export { marketAnswer, type MarketRecord, marketsAnswer, type MarketStatus } from './api/market.js';
export { orderbookAnswer } from './api/orderbook.js';
export {
  balanceAnswer,
  createOrderAnswer,
  type CreateOrderBody,
  fillsAnswer,
  ordersAnswer,
  positionsAnswer,
  settlementsAnswer,
} from './api/portfolio.js';
export { type CategoryRecord, sportsAnswer, type SportsRecord, tagsAnswer } from './api/search.js';
export { seriesAnswer, seriesListAnswer, type SeriesRecord } from './api/series.js';
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
