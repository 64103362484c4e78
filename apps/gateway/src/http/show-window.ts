import type { RateWindow } from '../domain/rate-limits.js';
import type { FastifyReply } from './fastify-types.js';

const MINUTE_SECONDS = 60;

/** The present time in Unix milliseconds, and the length of the window; a minute when omitted. */
interface WindowTime {
  readonly nowMs: number;
  readonly windowSeconds?: number;
}

/**
 * Shows the caller's window. `X-RateLimit-Reset` is the Unix second at which it ends; `RateLimit` and `RateLimit-Policy` say the
 * same as the IETF's draft does, with the seconds that are left.
 */
export function showWindow(reply: FastifyReply, window: RateWindow, at: WindowTime): void {
  const { nowMs, windowSeconds = MINUTE_SECONDS } = at;
  const { limit, resetsAtMs } = window;
  const remaining = Math.max(window.remaining, 0);
  reply.headers({
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil(resetsAtMs / 1000)),
    'ratelimit-policy': `"default";q=${limit};w=${windowSeconds}`,
    ratelimit: `"default";r=${remaining};t=${Math.max(Math.ceil((resetsAtMs - nowMs) / 1000), 0)}`,
  });
}
