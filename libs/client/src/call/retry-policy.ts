import { status } from '@grpc/grpc-js';
import { randomInt } from 'node:crypto';
import type { CallError } from '../errors/call-error.js';
import type { MethodSafety } from './definition.js';

/** Policy for retrying calls. */
export interface RetryPolicy {
  /** Attempts of one call, the first among them; 4 when omitted. 1 tries nothing again. */
  readonly maxAttempts: number;
  /** The longest pause after the first attempt, doubled after each further one; 100 ms when omitted. */
  readonly initialBackoffMs: number;
  /** Maximum pause, unless a service asks for a longer one; 2 s when omitted. */
  readonly maxBackoffMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = { maxAttempts: 4, initialBackoffMs: 100, maxBackoffMs: 2_000 };

/** A whole number from 0 to `max`, each as likely. */
type Random = (max: number) => number;

const cryptoRandom: Random = (max) => randomInt(0, max + 1);

/**
 * Reports whether the call may be retried. A call that no server began to process always may. Otherwise the method must
 * be safe to repeat, and the status must allow for success later: UNAVAILABLE, or RESOURCE_EXHAUSTED with a retry time.
 */
export function mayRetry(safety: MethodSafety, error: CallError): boolean {
  if (error.neverProcessed) return true;
  if (safety === 'UNSAFE') return false;
  if (error.status === status.UNAVAILABLE) return true;
  return error.status === status.RESOURCE_EXHAUSTED && error.retryAfterMs !== undefined;
}

/**
 * Returns the pause before the next attempt: any time up to the bound ("full jitter"), on top of the delay that the
 * service asks for.
 */
export function pauseMs(policy: RetryPolicy, attempts: number, error: CallError, random = cryptoRandom): number {
  const bound = Math.min(policy.maxBackoffMs, policy.initialBackoffMs * 2 ** (attempts - 1));
  return (error.retryAfterMs ?? 0) + random(Math.floor(bound));
}
