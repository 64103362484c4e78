import type { JsonRoute } from '../../http/json-server.js';
import { costsJson, limitsJson } from '../access/quota.js';
import { timeText } from '../rest/market-json.js';
import { orderRoutes } from './order-routes.js';
import type { PortfolioContext } from './portfolio-context.js';
import { PortfolioView } from './portfolio-view.js';
import { readRoutes } from './read-routes.js';

/** Everything about the operator's account and the exchange itself: `/portfolio`, `/account`, `/exchange`. */
export function accountRoutes(context: PortfolioContext): JsonRoute[] {
  const view = new PortfolioView(context);
  return [
    ...orderRoutes(context),
    ...readRoutes(context, view),
    { method: 'GET', path: '/account/limits', answer: () => ({ body: limitsJson(context.tier) }) },
    { method: 'GET', path: '/account/endpoint_costs', answer: () => ({ body: costsJson() }) },
    { method: 'GET', path: '/exchange/status', answer: () => ({ body: statusJson(context) }) },
    { method: 'GET', path: '/exchange/schedule', answer: () => ({ body: SCHEDULE }) },
    {
      method: 'GET',
      path: '/exchange/user_data_timestamp',
      answer: () => ({ body: { as_of_time: timeText(view.asOfMs()) } }),
    },
  ];
}

function statusJson({ exchange }: PortfolioContext): unknown {
  const status = { exchange_active: true, trading_active: exchange.isTrading, intra_exchange_transfers_active: true };
  return {
    ...status,
    exchange_index_statuses: [{ exchange_index: 0, description: 'event contracts', ...status }],
  };
}

const ALWAYS = [{ open_time: '00:00', close_time: '00:00' }];

/** This exchange never sleeps. */
const SCHEDULE = {
  schedule: {
    standard_hours: [
      {
        start_time: '2020-01-01T00:00:00Z',
        end_time: '2100-01-01T00:00:00Z',
        monday: ALWAYS,
        tuesday: ALWAYS,
        wednesday: ALWAYS,
        thursday: ALWAYS,
        friday: ALWAYS,
        saturday: ALWAYS,
        sunday: ALWAYS,
      },
    ],
    maintenance_windows: [],
  },
};
