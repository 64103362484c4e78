import type { predictionV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import type { GrpcController } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import { Catalog } from '../application/catalog/catalog.js';
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

/** The catalog's gRPC surface. */
@Controller()
export class CatalogController implements GrpcController<predictionV1.CatalogServiceService> {
  constructor(@Inject(Catalog) private readonly catalog: Catalog) {}

  async listCategories({ agentId }: predictionV1.ListCategoriesRequest): Promise<predictionV1.ListCategoriesResponse> {
    return { categories: (await this.catalog.categories(agentId)).map(toCategory) };
  }

  async listSports({ agentId }: predictionV1.ListSportsRequest): Promise<predictionV1.ListSportsResponse> {
    const { sports, ordering } = await this.catalog.sports(agentId);
    return { sports: sports.map(toSport), ordering: [...ordering] };
  }

  async listMarkets(request: predictionV1.ListMarketsRequest): Promise<predictionV1.ListMarketsResponse> {
    const { agentId, eventTicker, seriesTicker, tradeableOnly } = request;
    const query = { eventTicker, seriesTicker, tradeableOnly, status: statusOf(request.status) };
    const page = await this.catalog.markets(agentId, { ...query, ...pageOf(request, 1_000) });
    return { markets: page.items.map(toMarket), cursor: page.cursor };
  }

  async getMarket({ agentId, ticker }: predictionV1.GetMarketRequest): Promise<predictionV1.GetMarketResponse> {
    return { market: toDetailedMarket(await this.catalog.market(agentId, ticker)) };
  }

  async getOrderbook(request: predictionV1.GetOrderbookRequest): Promise<predictionV1.GetOrderbookResponse> {
    const { agentId, ticker, depth } = request;
    if (depth > MAX_DEPTH) throw AppError.field('depth', `must be at most ${MAX_DEPTH}`);
    return { orderbook: toOrderbook(ticker, await this.catalog.orderbook(agentId, ticker, depth)) };
  }

  async listEvents(request: predictionV1.ListEventsRequest): Promise<predictionV1.ListEventsResponse> {
    const query = { status: statusOf(request.status), ...pageOf(request, 200) };
    const page = await this.catalog.events(request.agentId, query);
    return { events: page.items.map(toEvent), cursor: page.cursor };
  }

  async getEvent({ agentId, eventTicker }: predictionV1.GetEventRequest): Promise<predictionV1.GetEventResponse> {
    const event = await this.catalog.event(agentId, eventTicker);
    return { event: toEvent(event), markets: event.markets.map(toMarket) };
  }

  async listSeries(request: predictionV1.ListSeriesRequest): Promise<predictionV1.ListSeriesResponse> {
    const page = await this.catalog.seriesList(request.agentId, request.category, pageOf(request, 200));
    return { series: page.items.map(toSeries), cursor: page.cursor };
  }

  async getSeries({ agentId, seriesTicker }: predictionV1.GetSeriesRequest): Promise<predictionV1.GetSeriesResponse> {
    return { series: toSeries(await this.catalog.series(agentId, seriesTicker)) };
  }

  async listMilestones(request: predictionV1.ListMilestonesRequest): Promise<predictionV1.ListMilestonesResponse> {
    const { agentId, category, competition } = request;
    const page = await this.catalog.milestones(agentId, { category, competition, ...pageOf(request, 500) });
    return { milestones: page.items.map(toMilestone), cursor: page.cursor };
  }

  async getMilestone(request: predictionV1.GetMilestoneRequest): Promise<predictionV1.GetMilestoneResponse> {
    return { milestone: toMilestone(await this.catalog.milestone(request.agentId, request.milestoneId)) };
  }

  async listStructuredTargets(
    request: predictionV1.ListStructuredTargetsRequest,
  ): Promise<predictionV1.ListStructuredTargetsResponse> {
    const { agentId, type, competition } = request;
    const page = await this.catalog.structuredTargets(agentId, { type, competition, ...pageOf(request, 2_000) });
    return { structuredTargets: page.items.map(toStructuredTarget), cursor: page.cursor };
  }

  async getStructuredTarget(
    request: predictionV1.GetStructuredTargetRequest,
  ): Promise<predictionV1.GetStructuredTargetResponse> {
    const target = await this.catalog.structuredTarget(request.agentId, request.structuredTargetId);
    return { structuredTarget: toStructuredTarget(target) };
  }
}
