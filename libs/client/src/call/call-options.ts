import type { MethodSafety } from './definition.js';

/** How one call is made. */
export interface CallOptions {
  /** How long it may take with all its attempts; see `defaultTimeoutMs` when omitted. */
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
 * How long a call may take that says nothing of it: 20 s to read, 10 s to change something. A request that asks the service
 * to wait for an outcome (`waitMs`) gets that time on top.
 */
export function defaultTimeoutMs(safety: MethodSafety, request: object): number {
  const waitMs = 'waitMs' in request && typeof request.waitMs === 'number' ? request.waitMs : 0;
  return (safety === 'NO_SIDE_EFFECTS' ? READ_MS : EFFECT_MS) + waitMs;
}
