export { type ExecuteAnswer, executeAnswer, type ExecuteBody, executeBody } from './api/execute.js';
export { type HoldingsAnswer, holdingsAnswer, nativeHoldingsAnswer } from './api/holdings.js';
export { type ErrorAnswer, errorAnswer, type OrderAnswer, orderAnswer, routeLeg } from './api/order.js';
export { type PriceAnswer, priceAnswer } from './api/price.js';
export { type ShieldAnswer, shieldAnswer, type ShieldWarning, shieldWarning } from './api/shield.js';
export { mintInformation, type TokensAnswer, tokensAnswer } from './api/tokens.js';
export { lookupTablesOf, resolvedAddressesHash, resolveLookups, UnresolvedLookups } from './messages/lookup-tables.js';
export { minimumOutput, readRoute, type RouteFacts } from './messages/read-route.js';
export { readSwapMessage, type SwapMessage } from './messages/swap-message.js';
export type { RouteForm } from './messages/route-instruction.js';
export {
  FILL,
  JUPITER_EVENT_AUTHORITY,
  JUPITER_PROGRAM,
  LOOKUP_TABLE_PROGRAM,
  ORDER_ENGINE_PROGRAM,
  PROGRAM_AUTHORITIES,
  ROUTE_ERRORS,
  ROUTE_V2,
  SHARED_ACCOUNTS_ROUTE_V2,
} from './programs.js';
