import type { MethodSafety } from './definition.js';

/** Options of one call. */
export interface CallOptions {
  /** Time limit over all attempts; see `defaultTimeoutMs` when omitted. */
  readonly timeoutMs?: number;
  /** Cancels the call. It may still take effect. */
  readonly signal?: AbortSignal;
  /** `x-request-id`, which the services write to their logs and events. */
  readonly requestId?: string;
}

/** Behind some reads are a chain, an aggregator or an exchange that take their time. */
const READ_MS = 20_000;
const EFFECT_MS = 10_000;

/**
 * Returns the default time limit of a call: 20 s to read, 10 s to change something. A request that makes the service
 * wait for an outcome (`waitMs`) gets that time on top.
 */
export function defaultTimeoutMs(safety: MethodSafety, request: object): number {
  const waitMs = 'waitMs' in request && typeof request.waitMs === 'number' ? request.waitMs : 0;
  return (safety === 'NO_SIDE_EFFECTS' ? READ_MS : EFFECT_MS) + waitMs;
}
