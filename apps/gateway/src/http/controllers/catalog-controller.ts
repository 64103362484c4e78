import { Controller, Inject } from '@nestjs/common';
import { categoriesAnswer, sportsAnswer } from '../../application/answers/happening-answer.js';
import {
  marketAnswer,
  marketDetailAnswer,
  orderbookAnswer,
  statusFilter,
} from '../../application/answers/market-answer.js';
import { present } from '../../domain/present.js';
import type { CatalogService } from '../../ports/catalog-service.js';
import type { Bearer } from '../bearer-token.js';
import { categoriesRoute, marketRoute, marketsRoute, orderbookRoute, sportsRoute } from '../contract/catalog-routes.js';
import type { InputOf } from '../contract/route.js';
import type { Answer } from '../envelope.js';
import { Caller, Input, Serves } from '../serves.js';
import { TOKENS } from '../tokens.js';

/** The markets of the exchange. */
@Controller()
export class CatalogController {
  constructor(@Inject(TOKENS.catalog) private readonly catalog: CatalogService) {}

  @Serves(categoriesRoute)
  async categories(@Input() _input: InputOf<typeof categoriesRoute>, @Caller() { agentId }: Bearer): Promise<Answer> {
    return { message: 'Categories.', data: categoriesAnswer(await this.catalog.listCategories({ agentId })) };
  }

  @Serves(sportsRoute)
  async sports(@Input() _input: InputOf<typeof sportsRoute>, @Caller() { agentId }: Bearer): Promise<Answer> {
    return { message: 'Sports.', data: sportsAnswer(await this.catalog.listSports({ agentId })) };
  }

  @Serves(marketsRoute)
  async list(@Input() { query }: InputOf<typeof marketsRoute>, @Caller() { agentId }: Bearer): Promise<Answer> {
    const { markets, cursor } = await this.catalog.listMarkets({
      agentId,
      status: statusFilter(query.status),
      eventTicker: query.event_ticker,
      seriesTicker: query.series_ticker,
      tradeableOnly: query.tradeable_only,
      limit: query.limit,
      cursor: query.cursor,
    });
    return { message: 'Markets.', data: { markets: markets.map(marketAnswer), cursor } };
  }

  @Serves(marketRoute)
  async one(@Input() { params }: InputOf<typeof marketRoute>, @Caller() { agentId }: Bearer): Promise<Answer> {
    const { market } = await this.catalog.getMarket({ agentId, ticker: params.ticker });
    return { message: 'Market.', data: { market: marketDetailAnswer(present(market, 'market')) } };
  }

  @Serves(orderbookRoute)
  async book(@Input() input: InputOf<typeof orderbookRoute>, @Caller() { agentId }: Bearer): Promise<Answer> {
    const { ticker } = input.params;
    const { orderbook } = await this.catalog.getOrderbook({ agentId, ticker, depth: input.query.depth });
    return { message: 'Orderbook.', data: orderbookAnswer(present(orderbook, 'orderbook')) };
  }
}
