import { systemClock } from '@agent-wallet/kernel';
import type { Server } from 'node:http';
import { createJsonServer } from '../http/json-server.js';
import { isLiquidityPath, LiquidityGate } from '../liquidity/api/liquidity-gate.js';
import { liquidityApiRoutes } from '../liquidity/api/liquidity-routes.js';
import type { AggregatorContext } from './aggregator-context.js';
import { Gateway, PRO_PLAN } from './gateway.js';
import { holdingsRoutes } from './holdings-routes.js';
import { priceRoutes } from './price-routes.js';
import { swapRoutes } from './swap/swap-routes.js';
import { tokenRoutes } from './token-routes.js';

/**
 * The aggregator: Jupiter's orders, prices and tokens, by Jupiter's protocol. The liquidity venue's API is served beside
 * it under a prefix, with a gate and faults of its own.
 */
export function createAggregatorServer(context: AggregatorContext): Server {
  const gateway = new Gateway(context.faults, systemClock, PRO_PLAN);
  const gate = new LiquidityGate(context.faults);
  return createJsonServer({
    routes: [
      ...[swapRoutes, priceRoutes, tokenRoutes, holdingsRoutes].flatMap((make) => make(context)),
      ...liquidityApiRoutes(context),
    ],
    before: (head) => (isLiquidityPath(head.path) ? gate.admit(head) : gateway.admit(head)),
    headers: (status, head) => (isLiquidityPath(head.path) ? {} : gateway.headers(status, head)),
  });
}
