import { systemClock } from '@agent-wallet/kernel';
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { FaultBoard } from '../faults/fault-board.js';
import { createJsonServer, type JsonReply } from '../http/json-server.js';
import type { AggregatorContext } from './aggregator-context.js';
import { priceRoutes } from './price-routes.js';
import { tokenRoutes } from './token-routes.js';

const WINDOW_SECONDS = 60;
const WINDOW_LIMIT = 9_000;

/** The aggregator: Jupiter's prices and tokens, by Jupiter's protocol. */
export function createAggregatorServer(context: AggregatorContext): Server {
  const limits = rateLimitHeaders();
  return createJsonServer({
    routes: [...priceRoutes(context), ...tokenRoutes(context)],
    before: ({ path }) => fault(context.faults, path),
    headers: (status) => ({
      'x-api-gateway-request-id': randomUUID(),
      ...(status === 200 || status === 429 ? limits() : {}),
    }),
  });
}

/** Faults that name no path are meant for orders. */
function fault(faults: FaultBoard, path: string): JsonReply | undefined {
  const subject = { path, byDefault: /^\/(swap\/v2|ultra\/v1)\/(order|execute)$/.test(path) };
  if (faults.take('aggregator', 'error429', subject)) {
    return { status: 429, body: { message: '[API Gateway] Too many requests' } };
  }
  if (faults.take('aggregator', 'error500', subject)) return { status: 500, body: { error: 'Internal server error' } };
  return undefined;
}

/** Counts a window as the real gateway does, and never refuses: only a fault does. */
function rateLimitHeaders(): () => Record<string, string> {
  let window = 0;
  let current = 0;
  return () => {
    const now = Math.floor(systemClock.nowMs() / 1000);
    if (now - window >= WINDOW_SECONDS) [window, current] = [now, 0];
    current += 1;
    return {
      'x-ratelimit-current': String(current),
      'x-ratelimit-remaining': String(WINDOW_LIMIT - current),
      'x-ratelimit-reset': String(window + WINDOW_SECONDS),
    };
  };
}
