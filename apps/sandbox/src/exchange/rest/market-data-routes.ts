import type { JsonRoute } from '../../http/json-server.js';
import { eventRoutes } from './event-routes.js';
import type { MarketDataContext } from './market-data-context.js';
import { marketRoutes } from './market-routes.js';
import { milestoneRoutes } from './milestone-routes.js';
import { searchRoutes } from './search-routes.js';
import { seriesRoutes } from './series-routes.js';

/** Everything that any caller may read. */
export function marketDataRoutes(context: MarketDataContext): JsonRoute[] {
  return [marketRoutes, eventRoutes, seriesRoutes, milestoneRoutes, searchRoutes].flatMap((make) => make(context));
}
