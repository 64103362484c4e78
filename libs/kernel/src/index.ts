export {
  AmountError,
  type AmountProblem,
  type BaseUnits,
  baseUnits,
  baseUnitsOf,
  type DecimalAmount,
  formatAmount,
  MAX_BASE_UNITS,
  parseAmount,
  readAmountField,
  readDecimal,
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
export { NAMED_TOKENS, type NamedToken, WRAPPED_SOL_MINT } from './tokens/known-tokens.js';
export { AppError, type FieldProblem } from './errors/app-error.js';
export { type ErrorCode, errorEntry, isErrorCode } from './errors/catalogue.js';
export { isRecovering, recovering } from './errors/recovering.js';
export { isTimeout, jsonOf, readText } from './http/response.js';
export { OpenCalls } from './http/open-calls.js';
export { RecentlyUsed } from './recently-used.js';
export { type Clock, systemClock } from './clock.js';
export { assertUuid, idOf, isUuid, newId } from './ids.js';
export { Secret } from './secret.js';
export { once } from './async/once.js';
export { settleAll } from './async/settle-all.js';
export { sleep } from './async/sleep.js';
export { withRetry } from './async/with-retry.js';
export { waitAtMost, withTimeout } from './async/with-timeout.js';
export { clamp } from './clamp.js';
