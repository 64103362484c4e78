import { type ErrorCode, errorEntry } from './catalogue.js';
import type { Facts } from './error-facts.js';

/**
 * What the next attempt of a caller is. `same_key`: the same request with the same Idempotency-Key; `new_key`: the same
 * request with a new key; `never`: only a corrected request, with a new key.
 */
export type Retry = 'same_key' | 'new_key' | 'never';

/** Failures that the moment caused: the same request may succeed later, but the operation is over. */
const OF_THE_MOMENT: ReadonlySet<ErrorCode> = new Set([
  'SLIPPAGE_EXCEEDED',
  'NO_ROUTE',
  'NO_LIQUIDITY',
  'MARKET_PAUSED',
]);

/**
 * Decides how a caller may try again; no other place does.
 * @param isFinal whether the failure is the final response of an operation
 */
export function retryOf(code: ErrorCode, data: Facts, isFinal: boolean): Retry {
  if (code === 'AUTHENTICATION_ERROR') return 'same_key';
  if (errorEntry(code).retryable) {
    if (!isFinal) return 'same_key';
    // An escrow that was taken and not paid back is prediction balance now: a repeat would take another one.
    return data.signature !== undefined && data.refundSignature === undefined ? 'never' : 'new_key';
  }
  if (OF_THE_MOMENT.has(code)) return 'new_key';
  if (code !== 'POLICY_VIOLATION') return 'never';
  const { rule, retryAtMs } = data;
  const fitsLater = rule === 'daily_limit' && retryAtMs !== undefined;
  return rule === 'price_unavailable' || fitsLater ? 'new_key' : 'never';
}

/** Whether the same request may succeed without the caller changing anything: a login is a change. */
export function isRetryable(code: ErrorCode, retry: Retry): boolean {
  return retry !== 'never' && code !== 'AUTHENTICATION_ERROR';
}
