export {
  AmountError,
  type AmountFields,
  type AmountProblem,
  type BaseUnits,
  baseUnits,
  baseUnitsOf,
  type DecimalAmount,
  formatAmount,
  MAX_BASE_UNITS,
  parseAmount,
  PROBLEM_OF_AMOUNT,
  readAmountField,
  readDecimal,
  readRequestedAmount,
  type RequestedAmount,
  LP_DECIMALS,
  MAX_LIQUIDITY_SLIPPAGE_BPS,
  SOL_DECIMALS,
} from './money/amount.js';
export { type BalanceChange, sumByMint } from './money/balance-change.js';
export { insufficientFunds, neededLamports, type Payment } from './money/funds.js';
export {
  parseUsd,
  parseUsdPrice,
  type Rounding,
  USD_DECIMALS,
  type UsdMicros,
  type UsdPrice,
  usdMicros,
  valueInUsd,
} from './money/usd.js';
export { isPart, type Part, PARTS } from './parts/parts.js';
export { hasMarkets, isRealMoney, SOLANA_NETWORKS, type SolanaNetwork } from './networks/solana-network.js';
export {
  NAMED_TOKENS,
  type NamedToken,
  mintNamed,
  namedToken,
  namedTokens,
  WRAPPED_SOL_MINT,
} from './tokens/known-tokens.js';
export { describeOperation, type RequestedOperation } from './requests/describe-operation.js';
export { AppError, fieldsMessage, type FieldProblem } from './errors/app-error.js';
export { POLICY_RULES, POOL_OBSTACLES } from './errors/error-facts.js';
export type {
  AddressProblem,
  AuthenticationReason,
  ErrorFacts,
  Fact,
  Facts,
  FactsOf,
  Problem,
  RateLimitScope,
  TokenSuggestion,
  UnavailableReason,
} from './errors/error-facts.js';
export {
  capabilityUnavailable,
  insufficientScope,
  invalidAddress,
  invalidCursor,
  notFound,
  unknownToken,
} from './errors/request-errors.js';
export { isTokenScope, TOKEN_SCOPES, type TokenScope } from './token-scopes.js';
export { PREDICTION_MARKETS_DISABLED } from './errors/policy-violations.js';
export { checkOperatorNote } from './text/check-operator-note.js';
export { closest } from './text/closest.js';
export { type CsvCell, writeCsv } from './text/csv.js';
export { isEscrowKept, isRetryable, type Retry, retryOf } from './errors/retry.js';
export { type ErrorCode, errorEntry, isErrorCode, isPublicCode, type PublicCode } from './errors/catalogue.js';
export { type PublicError, publicError } from './errors/public-error.js';
export { isRecovering, recovering, UNAVAILABLE_MESSAGES } from './errors/recovering.js';
export { isTimeout, jsonOf, readText } from './http/response.js';
export { OpenCalls } from './http/open-calls.js';
export { RecentlyUsed } from './recently-used.js';
export { type Clock, systemClock } from './clock.js';
export { type Scheduler, systemScheduler } from './scheduler.js';
export { assertUuid, firstIdAt, idOf, isUuid, newId, NIL_UUID, packIds, unpackIds } from './ids.js';
export { Secret } from './secret.js';
export { once } from './async/once.js';
export { settleAll } from './async/settle-all.js';
export { sleep } from './async/sleep.js';
export { withRetry } from './async/with-retry.js';
export { waitAtMost, withTimeout } from './async/with-timeout.js';
export { clamp } from './clamp.js';
export {
  type EntryKind,
  forEachPolicyField,
  isTightened,
  type KeyedPolicyField,
  type NameOfKind,
  namesOfKinds,
  NEW_RECIPIENTS,
  type NewRecipients,
  POLICY_FIELD_LIST,
  POLICY_FIELDS,
  policyField,
  type PolicyField,
  type PolicyFieldKey,
  type PolicyFieldKind,
  type PolicyFieldName,
  type PolicyValueOfKind,
  type PolicyValues,
} from './policy/policy-fields.js';
