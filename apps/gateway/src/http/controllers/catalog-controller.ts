import { Controller, Inject } from '@nestjs/common';
import { categoriesResponse, sportsResponse } from '../../application/responses/catalog-event-response.js';
import {
  marketResponse,
  marketDetailResponse,
  orderbookResponse,
  statusFilter,
} from '../../application/responses/market-response.js';
import { CatalogService, present } from '../../ports/services.js';
import type { Bearer } from '../bearer-token.js';
import { categoriesRoute, marketRoute, marketsRoute, orderbookRoute, sportsRoute } from '../contract/catalog-routes.js';
import type { InputOf } from '../contract/route.js';
import type { HandlerResponse } from '../envelope.js';
import { Caller, Input, Serves } from '../serves.js';

/** The markets of the exchange. */
@Controller()
export class CatalogController {
  constructor(@Inject(CatalogService) private readonly catalog: CatalogService) {}

  @Serves(categoriesRoute)
  async categories(@Caller() { agentId }: Bearer): Promise<HandlerResponse> {
    return { message: 'Categories.', data: categoriesResponse(await this.catalog.listCategories({ agentId })) };
  }

  @Serves(sportsRoute)
  async sports(@Caller() { agentId }: Bearer): Promise<HandlerResponse> {
    return { message: 'Sports.', data: sportsResponse(await this.catalog.listSports({ agentId })) };
  }

  @Serves(marketsRoute)
  async list(
    @Input() { query }: InputOf<typeof marketsRoute>,
    @Caller() { agentId }: Bearer,
  ): Promise<HandlerResponse> {
    const { markets, cursor } = await this.catalog.listMarkets({
      agentId,
      status: statusFilter(query.status),
      eventTicker: query.event_ticker,
      seriesTicker: query.series_ticker,
      tradeableOnly: query.tradeable_only,
      limit: query.limit,
      cursor: query.cursor,
    });
    return { message: 'Markets.', data: { markets: markets.map(marketResponse), cursor } };
  }

  @Serves(marketRoute)
  async one(@Input() { params }: InputOf<typeof marketRoute>, @Caller() { agentId }: Bearer): Promise<HandlerResponse> {
    const { market } = await this.catalog.getMarket({ agentId, ticker: params.ticker });
    return { message: 'Market.', data: { market: marketDetailResponse(present(market, 'market')) } };
  }

  @Serves(orderbookRoute)
  async book(@Input() input: InputOf<typeof orderbookRoute>, @Caller() { agentId }: Bearer): Promise<HandlerResponse> {
    const { ticker } = input.params;
    const { orderbook } = await this.catalog.getOrderbook({ agentId, ticker, depth: input.query.depth });
    return { message: 'Orderbook.', data: orderbookResponse(present(orderbook, 'orderbook')) };
  }
}
