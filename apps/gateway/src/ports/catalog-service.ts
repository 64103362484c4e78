import type { predictionV1 as v1 } from '@agent-wallet/contracts';

/** What can be traded at the exchange, as the prediction service knows it. Methods throw AppError. */
export interface CatalogService {
  listCategories(request: v1.ListCategoriesRequest): Promise<v1.ListCategoriesResponse>;
  listSports(request: v1.ListSportsRequest): Promise<v1.ListSportsResponse>;
  listMarkets(request: v1.ListMarketsRequest): Promise<v1.ListMarketsResponse>;
  getMarket(request: v1.GetMarketRequest): Promise<v1.GetMarketResponse>;
  getOrderbook(request: v1.GetOrderbookRequest): Promise<v1.GetOrderbookResponse>;
  listEvents(request: v1.ListEventsRequest): Promise<v1.ListEventsResponse>;
  getEvent(request: v1.GetEventRequest): Promise<v1.GetEventResponse>;
  listSeries(request: v1.ListSeriesRequest): Promise<v1.ListSeriesResponse>;
  getSeries(request: v1.GetSeriesRequest): Promise<v1.GetSeriesResponse>;
  listMilestones(request: v1.ListMilestonesRequest): Promise<v1.ListMilestonesResponse>;
  getMilestone(request: v1.GetMilestoneRequest): Promise<v1.GetMilestoneResponse>;
  listStructuredTargets(request: v1.ListStructuredTargetsRequest): Promise<v1.ListStructuredTargetsResponse>;
  getStructuredTarget(request: v1.GetStructuredTargetRequest): Promise<v1.GetStructuredTargetResponse>;
}
