import type { Server } from 'node:http';
import { createJsonServer, type JsonRoute } from '../http/json-server.js';
import type { AdminContext } from './admin-context.js';
import { chainRoutes } from './chain-routes.js';
import { accountRoutes } from './account-routes.js';
import { faultRoutes } from './fault-routes.js';
import { feeMarketRoutes } from './fee-market-routes.js';
import { liquidityRoutes } from './liquidity-routes.js';
import { marketRoutes } from './market-routes.js';
import { mintRoutes } from './mint-routes.js';
import { priceAdminRoutes } from './price-routes.js';

/** The admin API: people and tests move the world with it; the product never calls it. */
export function createAdminServer(context: AdminContext): Server {
  const general: JsonRoute[] = [
    {
      method: 'GET',
      path: '/health',
      answer: () => ({ status: context.isReady() ? 200 : 503, body: { ready: context.isReady() } }),
    },
    {
      method: 'GET',
      path: '/inbox',
      answer: ({ query }) => {
        const isAutomatic = query.get('automatic') === 'true';
        return { body: { messages: context.inbox.list(query.get('to') ?? undefined, isAutomatic) } };
      },
    },
  ];
  const routes = [
    chainRoutes,
    feeMarketRoutes,
    priceAdminRoutes,
    mintRoutes,
    marketRoutes,
    liquidityRoutes,
    accountRoutes,
    faultRoutes,
  ];
  return createJsonServer({ routes: [...general, ...routes.flatMap((make) => make(context))] });
}
