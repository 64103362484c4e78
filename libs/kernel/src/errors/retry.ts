import { type ErrorCode, errorEntry } from './catalogue.js';
import type { Facts } from './error-facts.js';

/**
 * Next attempt that a caller can make. `same_key`: the same request with the same Idempotency-Key; `new_key`: the same
 * request with a new key; `never`: only a corrected request, with a new key.
 */
export type Retry = 'same_key' | 'new_key' | 'never';

/** Failures that the moment caused: the same request may succeed later, but the operation is over. */
const OF_THE_MOMENT: ReadonlySet<ErrorCode> = new Set([
  'SLIPPAGE_EXCEEDED',
  'NO_ROUTE',
  'NO_LIQUIDITY',
  'MARKET_PAUSED',
  'POOL_PAUSED',
  'POOL_PRICE_DEVIATES',
]);

/**
 * Codes with which an unfilled prediction order can end; INTERNAL_ERROR stands for a code of a newer service. For other
 * codes, `signature` is that of a failed transaction.
 */
const OF_AN_ORDER: ReadonlySet<ErrorCode> = new Set([
  'MARKET_CLOSED',
  'MARKET_PAUSED',
  'NO_LIQUIDITY',
  'UPSTREAM_ERROR',
  'SERVICE_UNAVAILABLE',
  'INTERNAL_ERROR',
]);

/**
 * Reports whether a failed buy left its escrow in the prediction balance, because it could not be returned to the
 * wallet.
 * @param isFinal whether the failure is the final response of an operation
 */
export function isEscrowKept(code: ErrorCode, { signature, refundSignature }: Facts, isFinal: boolean): boolean {
  return isFinal && OF_AN_ORDER.has(code) && signature !== undefined && refundSignature === undefined;
}

/** Reasons of a 401 that another login does not change. */
const NOT_BY_LOGIN: ReadonlySet<unknown> = new Set(['wrong_code', 'wrong_origin']);

/** Rules that may allow the same request at the time that a refusal names. */
const LATER_RULES: ReadonlySet<unknown> = new Set(['daily_limit', 'token_not_allowed', 'grant_limit']);

/**
 * Decides how a caller may try again; no other place does.
 * @param isFinal whether the failure is the final response of an operation
 */
export function retryOf(code: ErrorCode, data: Facts, isFinal: boolean): Retry {
  // A login code that is wrong or spent stays so.
  if (code === 'AUTHENTICATION_ERROR') return NOT_BY_LOGIN.has(data.reason) ? 'never' : 'same_key';
  if (code === 'RATE_LIMIT_EXCEEDED' && data.scope === 'otp') return 'never';
  // A repeat would take a second escrow.
  if (isEscrowKept(code, data, isFinal)) return 'never';
  if (errorEntry(code).retryable) return isFinal ? 'new_key' : 'same_key';
  if (OF_THE_MOMENT.has(code)) return 'new_key';
  if (code !== 'POLICY_VIOLATION') return 'never';
  const { rule, retryAtMs } = data;
  const fitsLater = LATER_RULES.has(rule) && retryAtMs !== undefined;
  return rule === 'price_unavailable' || fitsLater ? 'new_key' : 'never';
}

/** Reports whether the same request may succeed without a change by the caller. A login is a change. */
export function isRetryable(code: ErrorCode, retry: Retry): boolean {
  return retry !== 'never' && code !== 'AUTHENTICATION_ERROR';
}
