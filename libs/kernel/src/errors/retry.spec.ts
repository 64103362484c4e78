import { describe, expect, it } from '@jest/globals';
import { type ErrorCode, errorEntry, isErrorCode } from './catalogue.js';
import type { Facts } from './error-facts.js';
import { isEscrowKept, isRetryable, type Retry, retryOf } from './retry.js';

/** For each code: the retry of a failure that ends no operation, and of one that is the final response of an operation. */
const TABLE: Readonly<Record<ErrorCode, readonly [Retry, Retry]>> = {
  VALIDATION_ERROR: ['never', 'never'],
  INVALID_IDEMPOTENCY_KEY: ['never', 'never'],
  UNKNOWN_TOKEN: ['never', 'never'],
  INVALID_ADDRESS: ['never', 'never'],
  INSUFFICIENT_FUNDS: ['never', 'never'],
  UNSAFE_TOKEN: ['never', 'never'],
  NO_ROUTE: ['new_key', 'new_key'],
  MARKET_CLOSED: ['never', 'never'],
  MARKET_PAUSED: ['new_key', 'new_key'],
  POOL_NOT_SUPPORTED: ['never', 'never'],
  POOL_PAUSED: ['new_key', 'new_key'],
  POOL_PRICE_DEVIATES: ['new_key', 'new_key'],
  NO_LIQUIDITY: ['new_key', 'new_key'],
  INSUFFICIENT_POSITION: ['never', 'never'],
  SLIPPAGE_EXCEEDED: ['new_key', 'new_key'],
  TRANSACTION_FAILED: ['never', 'never'],
  AUTHENTICATION_ERROR: ['same_key', 'same_key'],
  POLICY_VIOLATION: ['never', 'never'],
  NOT_FOUND: ['never', 'never'],
  METHOD_NOT_ALLOWED: ['never', 'never'],
  IDEMPOTENCY_IN_PROGRESS: ['same_key', 'new_key'],
  PAYLOAD_TOO_LARGE: ['never', 'never'],
  UNSUPPORTED_MEDIA_TYPE: ['never', 'never'],
  IDEMPOTENCY_MISMATCH: ['never', 'never'],
  RATE_LIMIT_EXCEEDED: ['same_key', 'new_key'],
  INTERNAL_ERROR: ['same_key', 'new_key'],
  UPSTREAM_ERROR: ['same_key', 'new_key'],
  UNSAFE_TRANSACTION: ['same_key', 'new_key'],
  SERVICE_UNAVAILABLE: ['same_key', 'new_key'],
  UPSTREAM_TIMEOUT: ['same_key', 'new_key'],
  TRANSACTION_EXPIRED: ['same_key', 'new_key'],
  POLICY_LOOSENING_NEEDS_OWNER: ['never', 'never'],
  OWNER_REQUIRED: ['never', 'never'],
  ASSERTION_INVALID: ['never', 'never'],
  APPROVAL_CLOSED: ['never', 'never'],
  CALLER_NOT_ALLOWED: ['never', 'never'],
  SIGNING_REFUSED: ['never', 'never'],
  PERMIT_CONFLICT: ['never', 'never'],
  OWNERS_NOT_CONFIGURED: ['never', 'never'],
  CAPABILITY_UNAVAILABLE: ['never', 'never'],
  APPROVAL_REQUIRED: ['never', 'never'],
  APPROVAL_REJECTED: ['never', 'never'],
  APPROVAL_EXPIRED: ['never', 'never'],
  VERSION_MISMATCH: ['never', 'never'],
  INSUFFICIENT_SCOPE: ['never', 'never'],
};

describe('the retry of a failure', () => {
  it.each(Object.entries(TABLE))('of %s is %j', (code, expected) => {
    if (!isErrorCode(code)) throw new TypeError(code);
    expect([false, true].map((isFinal) => retryOf(code, {}, isFinal))).toEqual(expected);
  });

  it.each<[string, Facts, Retry]>([
    ['price_unavailable', { rule: 'price_unavailable' }, 'new_key'],
    ['daily_limit with a time', { rule: 'daily_limit', retryAtMs: 1 }, 'new_key'],
    ['daily_limit without a time', { rule: 'daily_limit' }, 'never'],
    ['single_transaction_limit', { rule: 'single_transaction_limit' }, 'never'],
    ['token_not_allowed', { rule: 'token_not_allowed' }, 'never'],
    ['token_not_allowed with a time', { rule: 'token_not_allowed', retryAtMs: 1 }, 'new_key'],
    ['another rule with a time', { rule: 'frozen', retryAtMs: 1 }, 'never'],
  ])('of a refusal by %s', (_, data, expected) => {
    expect(retryOf('POLICY_VIOLATION', data, true)).toBe(expected);
    expect(retryOf('POLICY_VIOLATION', data, false)).toBe(expected);
  });

  it.each<[ErrorCode, Facts]>([
    ['AUTHENTICATION_ERROR', { reason: 'wrong_code' }],
    ['RATE_LIMIT_EXCEEDED', { scope: 'otp' }],
  ])('of %s with %j is never, because the login code stays wrong or spent', (code, data) => {
    expect(retryOf(code, data, false)).toBe('never');
  });

  it.each<[ErrorCode, Facts, Retry]>([
    ['MARKET_PAUSED', { signature: 'escrow' }, 'never'],
    ['NO_LIQUIDITY', { signature: 'escrow' }, 'never'],
    ['UPSTREAM_ERROR', { signature: 'escrow' }, 'never'],
    ['SERVICE_UNAVAILABLE', { signature: 'escrow' }, 'never'],
    ['INTERNAL_ERROR', { signature: 'escrow' }, 'never'],
    ['MARKET_PAUSED', { signature: 'escrow', refundSignature: 'refund' }, 'new_key'],
    ['SLIPPAGE_EXCEEDED', { signature: 'landed' }, 'new_key'],
  ])('of %s with %j is %s at the end of an operation', (code, data, expected) => {
    expect(retryOf(code, data, true)).toBe(expected);
    expect(isEscrowKept(code, data, true)).toBe(expected === 'never');
    expect(isEscrowKept(code, data, false)).toBe(false);
  });

  it('is never for a status below 500 that says nothing of the moment', () => {
    for (const [code, [first]] of Object.entries(TABLE) as Array<[ErrorCode, readonly [Retry, Retry]]>) {
      const { http } = errorEntry(code);
      if (first === 'same_key') expect(http === 401 || http === 409 || http === 429 || http >= 500).toBe(true);
    }
  });

  it('is possible without a change, except after a login', () => {
    expect(isRetryable('AUTHENTICATION_ERROR', 'same_key')).toBe(false);
    expect(isRetryable('SERVICE_UNAVAILABLE', 'same_key')).toBe(true);
    expect(isRetryable('SLIPPAGE_EXCEEDED', 'new_key')).toBe(true);
    expect(isRetryable('NOT_FOUND', 'never')).toBe(false);
  });
});
