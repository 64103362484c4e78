import { systemClock } from '@agent-wallet/kernel';
import type { Server } from 'node:http';
import { createJsonServer } from '../http/json-server.js';
import type { AggregatorContext } from './aggregator-context.js';
import { Gateway, PRO_PLAN } from './gateway.js';
import { holdingsRoutes } from './holdings-routes.js';
import { priceRoutes } from './price-routes.js';
import { swapRoutes } from './swap/swap-routes.js';
import { tokenRoutes } from './token-routes.js';

/** The aggregator: Jupiter's orders, prices and tokens, by Jupiter's protocol. */
export function createAggregatorServer(context: AggregatorContext): Server {
  const gateway = new Gateway(context.faults, systemClock, PRO_PLAN);
  return createJsonServer({
    routes: [...swapRoutes(context), ...priceRoutes(context), ...tokenRoutes(context), ...holdingsRoutes(context)],
    before: (head) => gateway.admit(head),
    headers: (status, head) => gateway.headers(status, head),
  });
}
