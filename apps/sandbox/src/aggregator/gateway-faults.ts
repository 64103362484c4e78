import { systemClock } from '@agent-wallet/kernel';
import type { FaultBoard, FaultSubject } from '../faults/fault-board.js';
import type { JsonReply } from '../http/json-server.js';

/** The gateway's own refusals say it twice: `message` as documented, `error` as everywhere else. */
export const TOO_MANY_REQUESTS = { error: 'Too many requests', message: '[API Gateway] Too many requests' };

/** What the front of the API refuses because a fault says so; a refused caller may come back after the fault's delay. */
export function gatewayFault(faults: FaultBoard, subject: FaultSubject): JsonReply | undefined {
  const limited = faults.take('aggregator', 'error429', subject);
  if (limited) {
    const resetSeconds = Math.ceil((systemClock.nowMs() + limited.delayMs) / 1000);
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(resetSeconds) };
    return { status: 429, body: TOO_MANY_REQUESTS, headers };
  }
  if (!faults.take('aggregator', 'error500', subject)) return undefined;
  const isUltraExecute = subject.path === '/ultra/v1/execute';
  return { status: 500, body: { error: 'Internal server error', ...(isUltraExecute && { code: 500 }) } };
}
