import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AccountApi,
  Configuration,
  EventsApi,
  ExchangeApi,
  MarketApi,
  MilestoneApi,
  OrdersApi,
  PortfolioApi,
  SearchApi,
  StructuredTargetsApi,
} from 'kalshi-typescript';
import { ExchangeClient, type Json } from './exchange-client.js';
import { misfits } from './sdk-types.js';

interface HttpClient {
  create(options: { timeout: number }): never;
  readonly interceptors: { readonly request: { readonly handlers: readonly unknown[]; clear(): void } };
}

/** The process's one client of HTTP as the SDK has it, rid of what taking it out has left there. */
function globalClient(): HttpClient {
  const { axios } = new ExchangeApi() as unknown as { axios: HttpClient };
  axios.interceptors.request.clear();
  return axios;
}

const axios = globalClient();

describe('the official SDK, unmodified', () => {
  let exchange: ExchangeClient;
  let configuration: Configuration;
  let ticker: string;
  let eventTicker: string;
  let seriesTicker: string;

  /** An API with a client of its own: the default one would sign every request of the process. */
  const open = <T>(Api: new (configuration: Configuration, basePath: undefined, client: never) => T): T =>
    new Api(configuration, undefined, axios.create({ timeout: 10_000 }));

  beforeAll(async () => {
    exchange = await ExchangeClient.start();
    await exchange.world.admin('POST', '/prices', { freeze: true });
    const { keyId: apiKey, privateKeyPem, url: basePath } = exchange;
    configuration = new Configuration({ apiKey, privateKeyPem, basePath });
    await exchange.market('SDK-26-A', { yesBid: 40, yesAsk: 42, size: 100 });
    const { body } = await exchange.get('/events?series_ticker=KXPBGAME&with_nested_markets=true&limit=1');
    [{ event_ticker: eventTicker, series_ticker: seriesTicker }] = body.events;
    [{ ticker }] = body.events[0].markets;
  });

  afterAll(() => exchange.stop());

  /** An answer that fits its type to the letter. */
  async function fits(type: string, call: Promise<{ status: number; data: Json }>, status = 200): Promise<Json> {
    const answer = await call;
    expect(answer.status).toBe(status);
    expect(misfits(answer.data, type)).toEqual([]);
    return answer.data;
  }

  it('reads the exchange’s state', async () => {
    const api = open(ExchangeApi);
    const status = await fits('ExchangeStatus', api.getExchangeStatus());
    expect(status.trading_active).toBe(true);
    await fits('GetExchangeScheduleResponse', api.getExchangeSchedule());
    const { as_of_time: asOf } = await fits('GetUserDataTimestampResponse', api.getUserDataTimestamp());
    expect(Date.parse(asOf)).toBeGreaterThan(0);
    const changes = await fits('GetSeriesFeeChangesResponse', api.getSeriesFeeChanges(undefined, true));
    expect(changes.series_fee_change_arr.length).toBeGreaterThan(0);
  });

  it('browses series and events', async () => {
    const markets = open(MarketApi);
    const events = open(EventsApi);
    const { series } = await fits('GetSeriesListResponse', markets.getSeriesList('Sports', undefined, true, true));
    expect(series.length).toBeGreaterThan(0);
    await fits('GetSeriesResponse', markets.getSeries(seriesTicker, true));
    const page = await fits('GetEventsResponse', events.getEvents(2, undefined, true, true, 'open'));
    expect([page.events.length, page.cursor.length > 0]).toEqual([2, true]);
    const next = await fits('GetEventsResponse', events.getEvents(2, page.cursor, true, true, 'open'));
    expect(next.events[0].event_ticker).not.toBe(page.events[0].event_ticker);
    await fits('GetEventResponse', events.getEvent(eventTicker, true));
    await fits('GetEventResponse', events.getEvent(eventTicker));
    await fits('GetEventMetadataResponse', events.getEventMetadata(eventTicker));
    await fits('GetEventFeeChangesResponse', events.getEventFeeChanges());
    const combos = await fits('GetMultivariateEventsResponse', events.getMultivariateEvents());
    expect(combos.events).toHaveLength(1);
  });

  it('browses markets of every kind, their order books and trades', async () => {
    const api = open(MarketApi);
    const all = await fits('GetMarketsResponse', api.getMarkets(1_000));
    expect(all.markets.length).toBeGreaterThanOrEqual(120);
    const { market } = await fits('GetMarketResponse', api.getMarket(ticker));
    expect(market.ticker).toBe(ticker);
    const { orderbook_fp: book } = await fits('GetMarketOrderbookResponse', api.getMarketOrderbook(ticker, 3));
    expect(book.yes_dollars).toHaveLength(3);
    const several = await fits('GetMarketOrderbooksResponse', api.getMarketOrderbooks([ticker, 'SDK-26-A']));
    expect(several.orderbooks.map((one: Json) => one.ticker)).toEqual([ticker, 'SDK-26-A']);
    await fits('GetTradesResponse', api.getTrades());
  });

  it('browses milestones, targets and searches', async () => {
    const milestones = open(MilestoneApi);
    const targets = open(StructuredTargetsApi);
    const search = open(SearchApi);
    const page = await fits('GetMilestonesResponse', milestones.getMilestones(500));
    await fits('GetMilestoneResponse', milestones.getMilestone(page.milestones[0].id));
    const { structured_targets: found = [] } = await fits(
      'GetStructuredTargetsResponse',
      targets.getStructuredTargets(undefined, 'tennis_player'),
    );
    const ids = [found[0].id, found[1].id];
    const two = await fits('GetStructuredTargetsResponse', targets.getStructuredTargets(ids));
    expect(two.structured_targets).toEqual(found.slice(0, 2));
    await fits('GetStructuredTargetResponse', targets.getStructuredTarget(ids[0]));
    await fits('GetTagsForSeriesCategoriesResponse', search.getTagsForSeriesCategories());
    await fits('GetFiltersBySportsResponse', search.getFiltersForSports());
  });

  const order = (more: object = {}) => ({
    ticker: 'SDK-26-A',
    side: 'bid' as const,
    count: '10',
    price: '0.4200',
    time_in_force: 'immediate_or_cancel' as const,
    self_trade_prevention_type: 'taker_at_cross' as const,
    client_order_id: crypto.randomUUID(),
    ...more,
  });

  it('buys, looks at what it bought, sells, and is paid', async () => {
    const orders = open(OrdersApi);
    const portfolio = open(PortfolioApi);
    await fits('GetBalanceResponse', portfolio.getBalance());
    const bought = await fits('CreateOrderV2Response', orders.createOrderV2(order()), 201);
    expect([bought.fill_count, bought.remaining_count]).toEqual(['10.00', '0.00']);
    const { order: read } = await fits('GetOrderResponse', orders.getOrder(bought.order_id));
    expect([read.status, read.client_order_id]).toEqual(['executed', bought.client_order_id]);
    const list = await fits('GetOrdersResponse', orders.getOrders('SDK-26-A'));
    expect(list.orders.map((one: Json) => one.order_id)).toEqual([bought.order_id]);
    const { fills } = await fits('GetFillsResponse', portfolio.getFills(undefined, bought.order_id));
    expect(fills).toMatchObject([{ order_id: bought.order_id, outcome_side: 'yes', yes_price_dollars: '0.4200' }]);
    const held = await fits('GetPositionsResponse', portfolio.getPositions(undefined, undefined, 'position'));
    expect(held.market_positions).toMatchObject([{ ticker: 'SDK-26-A', position_fp: '10.00' }]);
    const sold = orders.createOrderV2(order({ side: 'ask', count: '4.00', price: '0.4000' }));
    expect((await fits('CreateOrderV2Response', sold, 201)).fill_count).toBe('4.00');
    const { trades } = await fits('GetTradesResponse', open(MarketApi).getTrades(undefined, undefined, 'SDK-26-A'));
    expect(trades.map((trade: Json) => trade.count_fp)).toEqual(['4.00', '10.00']);
    await exchange.world.admin('POST', '/markets/SDK-26-A/settle', { result: 'yes' });
    const { settlements } = await fits('GetSettlementsResponse', portfolio.getSettlements());
    expect(settlements).toMatchObject([{ ticker: 'SDK-26-A', market_result: 'yes', revenue: 600 }]);
  });

  it('rests orders, reduces and cancels them', async () => {
    await exchange.market('SDK-26-B');
    const api = open(OrdersApi);
    const resting = order({ ticker: 'SDK-26-B', price: '0.10', time_in_force: 'good_till_canceled' });
    const { order_id: first } = await fits('CreateOrderV2Response', api.createOrderV2(resting), 201);
    const smaller = await fits('DecreaseOrderV2Response', api.decreaseOrderV2(first, { reduce_by: '3' }));
    expect(smaller.remaining_count).toBe('7.00');
    const canceled = api.cancelOrderV2(first, undefined, undefined, 'SDK-26-B');
    expect((await fits('CancelOrderV2Response', canceled)).reduced_by).toBe('7.00');
  });

  it('reads its limits', async () => {
    const api = open(AccountApi);
    await fits('GetAccountApiLimitsResponse', api.getAccountApiLimits());
    await fits('GetAccountEndpointCostsResponse', api.getAccountEndpointCosts());
  });

  it('hears refusals in the exchange’s words', async () => {
    const orders = open(OrdersApi);
    const refused = async (call: Promise<unknown>): Promise<unknown> => {
      const error = await call.then(
        () => undefined,
        (reason: { response?: { status: number; data: unknown } }) => reason.response,
      );
      return { status: error?.status, data: error?.data };
    };
    expect(await refused(open(MarketApi).getMarket('NOBODY'))).toMatchObject({
      status: 404,
      data: { error: { code: 'not_found' } },
    });
    expect(await refused(orders.createOrderV2(order({ ticker: 'SDK-26-A' })))).toMatchObject({
      status: 409,
      data: { error: { code: 'MARKET_INACTIVE' } },
    });
    await exchange.world.arm('error429', {}, 'exchange');
    expect(await refused(orders.createOrderV2(order({ ticker: 'SDK-26-B' })))).toEqual({
      status: 429,
      data: { error: 'too many requests' },
    });
  });

  // The trap that keeps the SDK out of everything but these tests: see .oxlintrc.json and .dependency-cruiser.cjs.
  it('uses its own HTTP client if it gets one, and otherwise signs every request of the process', () => {
    expect(axios.interceptors.request.handlers).toHaveLength(0);
    void new ExchangeApi(configuration);
    expect(axios.interceptors.request.handlers).toHaveLength(1);
    axios.interceptors.request.clear();
  });
});
