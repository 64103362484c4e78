import type { predictionV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import type { GrpcController } from '@agent-wallet/platform';
import type { Catalog } from '../application/catalog/catalog.js';
import {
  pageOf,
  statusOf,
  toCategory,
  toDetailedMarket,
  toEvent,
  toMarket,
  toMilestone,
  toOrderbook,
  toSeries,
  toSport,
  toStructuredTarget,
} from './catalog-messages.js';

const MAX_DEPTH = 100;

type Handlers = GrpcController<predictionV1.CatalogServiceService>;

/** Handles the catalog's gRPC methods. */
export function catalogService(catalog: Catalog): Handlers {
  return { ...marketMethods(catalog), ...eventMethods(catalog) };
}

type MarketMethod = 'listCategories' | 'listSports' | 'listMarkets' | 'getMarket' | 'getOrderbook';

function marketMethods(catalog: Catalog): Pick<Handlers, MarketMethod> {
  return {
    listCategories: async ({ agentId }) => ({ categories: (await catalog.categories(agentId)).map(toCategory) }),
    listSports: async ({ agentId }) => {
      const { sports, ordering } = await catalog.sports(agentId);
      return { sports: sports.map(toSport), ordering: [...ordering] };
    },
    listMarkets: async (request) => {
      const { agentId, eventTicker, seriesTicker, tradeableOnly } = request;
      const query = { eventTicker, seriesTicker, tradeableOnly, status: statusOf(request.status) };
      const page = await catalog.markets(agentId, { ...query, ...pageOf(request, 1_000) });
      return { markets: page.items.map(toMarket), cursor: page.cursor };
    },
    getMarket: async ({ agentId, ticker }) => ({ market: toDetailedMarket(await catalog.market(agentId, ticker)) }),
    getOrderbook: async ({ agentId, ticker, depth }) => {
      if (depth > MAX_DEPTH) throw AppError.field('depth', `must be at most ${MAX_DEPTH}`);
      return { orderbook: toOrderbook(ticker, await catalog.orderbook(agentId, ticker, depth)) };
    },
  };
}

function eventMethods(catalog: Catalog): Omit<Handlers, MarketMethod> {
  return {
    listEvents: async (request) => {
      const query = { status: statusOf(request.status), ...pageOf(request, 200) };
      const page = await catalog.events(request.agentId, query);
      return { events: page.items.map(toEvent), cursor: page.cursor };
    },
    getEvent: async ({ agentId, eventTicker }) => {
      const event = await catalog.event(agentId, eventTicker);
      return { event: toEvent(event), markets: event.markets.map(toMarket) };
    },
    listSeries: async (request) => {
      const page = await catalog.seriesList(request.agentId, request.category, pageOf(request, 200));
      return { series: page.items.map(toSeries), cursor: page.cursor };
    },
    getSeries: async ({ agentId, seriesTicker }) => ({ series: toSeries(await catalog.series(agentId, seriesTicker)) }),
    listMilestones: async (request) => {
      const { agentId, category, competition } = request;
      const page = await catalog.milestones(agentId, { category, competition, ...pageOf(request, 500) });
      return { milestones: page.items.map(toMilestone), cursor: page.cursor };
    },
    getMilestone: async ({ agentId, milestoneId }) => ({
      milestone: toMilestone(await catalog.milestone(agentId, milestoneId)),
    }),
    listStructuredTargets: async (request) => {
      const { agentId, type, competition } = request;
      const page = await catalog.structuredTargets(agentId, { type, competition, ...pageOf(request, 2_000) });
      return { structuredTargets: page.items.map(toStructuredTarget), cursor: page.cursor };
    },
    getStructuredTarget: async ({ agentId, structuredTargetId: id }) => ({
      structuredTarget: toStructuredTarget(await catalog.structuredTarget(agentId, id)),
    }),
  };
}
