import { RawJson } from '../../encoding/json.js';
import type { JsonRoute } from '../../http/json-server.js';
import type { MarketState } from '../engine/exchange.js';
import type { EventRecord, FeeChange } from '../world/records.js';
import type { MarketDataContext } from './market-data-context.js';
import { eventStatus } from './market-filter.js';
import { marketJson, timeText } from './market-json.js';
import { milestoneJson } from './milestone-routes.js';
import { pageOf, pageRequest } from './paging.js';
import { booleanOf, invalid, listOf, notFound, oneOf, secondsOf, textOf } from './read-query.js';

const STATUSES = ['unopened', 'open', 'closed', 'settled'] as const;

/** Events with their markets; combos of several events stand apart. */
export function eventRoutes(context: MarketDataContext): JsonRoute[] {
  return [
    { method: 'GET', path: '/events', answer: ({ query }) => ({ body: events(context, query) }) },
    { method: 'GET', path: '/events/multivariate', answer: ({ query }) => ({ body: combos(context, query) }) },
    { method: 'GET', path: '/events/fee_changes', answer: ({ query }) => ({ body: feeChanges(context, query) }) },
    {
      method: 'GET',
      path: '/events/{ticker}',
      answer: ({ names, query }) => ({ body: detail(context, names['ticker']!, query) }),
    },
    {
      method: 'GET',
      path: '/events/{ticker}/metadata',
      answer: ({ names }) => ({ body: metadata(context, names['ticker']!) }),
    },
  ];
}

type MarketsByEvent = ReadonlyMap<string, readonly MarketState[]>;

function byEvent({ exchange }: MarketDataContext): MarketsByEvent {
  const found = new Map<string, MarketState[]>();
  for (const market of exchange.markets()) {
    const others = found.get(market.eventTicker);
    if (others) others.push(market);
    else found.set(market.eventTicker, [market]);
  }
  return found;
}

function events(context: MarketDataContext, query: URLSearchParams): unknown {
  const { world } = context;
  const markets = byEvent(context);
  const isKept = eventFilter(query, markets);
  const isNested = booleanOf(query, 'with_nested_markets');
  const list = {
    items: world.events.values(),
    keyOf: (event: EventRecord) => event.ticker,
    keep: (event: EventRecord) => event.collection === undefined && isKept(event),
  };
  const { items, cursor } = pageOf(list, pageRequest(query, { normal: 200, most: 200 }));
  const tickers = new Set(items.map((event) => event.ticker));
  const related = world.milestones.filter((milestone) => milestone.events.some((ticker) => tickers.has(ticker)));
  return {
    events: items.map((event) => eventJson(context, event, isNested ? (markets.get(event.ticker) ?? []) : undefined)),
    ...(booleanOf(query, 'with_milestones') && { milestones: related.map(milestoneJson) }),
    cursor,
  };
}

function eventFilter(query: URLSearchParams, markets: MarketsByEvent): (event: EventRecord) => boolean {
  const status = oneOf(query, 'status', STATUSES);
  const seriesTicker = textOf(query, 'series_ticker');
  const tickers = listOf(query, 'tickers');
  const closeMs = secondsOf(query, 'min_close_ts');
  const updatedMs = secondsOf(query, 'min_updated_ts');
  return ({ ticker, seriesTicker: ofSeries, updatedMs: changedMs }) => {
    const own = markets.get(ticker) ?? [];
    return (
      (status === undefined || eventStatus(own) === status) &&
      (seriesTicker === undefined || ofSeries === seriesTicker) &&
      (tickers === undefined || tickers.has(ticker)) &&
      (closeMs === undefined || own.some((market) => market.closeTimeMs > closeMs)) &&
      (updatedMs === undefined || changedMs > updatedMs)
    );
  };
}

function combos(context: MarketDataContext, query: URLSearchParams): unknown {
  const seriesTicker = textOf(query, 'series_ticker');
  const collection = textOf(query, 'collection_ticker');
  if (seriesTicker && collection) throw invalid('either series_ticker or collection_ticker');
  const markets = booleanOf(query, 'with_nested_markets') ? byEvent(context) : undefined;
  const list = {
    items: context.world.events.values(),
    keyOf: (event: EventRecord) => event.ticker,
    keep: (event: EventRecord) =>
      event.collection !== undefined &&
      (seriesTicker === undefined || event.seriesTicker === seriesTicker) &&
      (collection === undefined || event.collection === collection),
  };
  const { items, cursor } = pageOf(list, pageRequest(query, { normal: 100, most: 200 }));
  return {
    events: items.map((event) => eventJson(context, event, markets && (markets.get(event.ticker) ?? []))),
    cursor,
  };
}

function detail(context: MarketDataContext, ticker: string, query: URLSearchParams): unknown {
  const event = known(context, ticker);
  const markets = byEvent(context).get(ticker) ?? [];
  if (booleanOf(query, 'with_nested_markets')) return { event: eventJson(context, event, markets), markets: [] };
  return { event: eventJson(context, event), markets: markets.map((market) => marketJson(context, market)) };
}

function known({ world }: MarketDataContext, ticker: string): EventRecord {
  const event = world.events.get(ticker);
  if (!event) throw notFound('event not found');
  return event;
}

/** An event as the exchange answers it, with its markets if they are given. */
function eventJson(context: MarketDataContext, event: EventRecord, markets?: readonly MarketState[]): unknown {
  const { fee, strikeDateMs } = event;
  return {
    event_ticker: event.ticker,
    series_ticker: event.seriesTicker,
    title: event.title,
    sub_title: event.subTitle,
    category: event.category,
    collateral_return_type: event.isMutuallyExclusive ? 'MECNET' : '',
    mutually_exclusive: event.isMutuallyExclusive,
    strike_date: strikeDateMs === undefined ? null : timeText(strikeDateMs),
    strike_period: event.strikePeriod ?? null,
    settlement_sources: context.world.series.get(event.seriesTicker)!.sources,
    ...(event.competition && {
      product_metadata: { competition: event.competition, competition_scope: event.scope },
    }),
    fee_type_override: fee ? fee.type : null,
    fee_multiplier_override: fee ? new RawJson(fee.multiplier) : null,
    last_updated_ts: timeText(event.updatedMs),
    exchange_index: 0,
    ...(markets && { markets: markets.map((market) => marketJson(context, market)) }),
  };
}

function metadata(context: MarketDataContext, ticker: string): unknown {
  const event = known(context, ticker);
  const markets = byEvent(context).get(ticker) ?? [];
  return {
    image_url: `/images/${event.seriesTicker}.png`,
    market_details: markets.map((market) => ({
      market_ticker: market.ticker,
      image_url: `/images/${market.ticker}.png`,
      color_code: '#404040',
    })),
    settlement_sources: context.world.series.get(event.seriesTicker)!.sources,
    competition: event.competition ?? null,
    competition_scope: event.scope ?? null,
  };
}

function feeChanges(context: MarketDataContext, query: URLSearchParams): unknown {
  const eventTicker = textOf(query, 'event_ticker');
  const list = {
    items: context.world.feeChanges,
    keyOf: (change: FeeChange) => change.id,
    keep: (change: FeeChange) =>
      change.eventTicker !== undefined && (eventTicker === undefined || change.eventTicker === eventTicker),
  };
  const { items, cursor } = pageOf(list, pageRequest(query, { normal: 100, most: 1_000 }));
  return {
    event_fee_changes: items.map((change) => ({
      id: change.id,
      event_ticker: change.eventTicker,
      series_ticker: change.seriesTicker,
      fee_type_override: change.feeType,
      fee_multiplier_override: new RawJson(change.feeMultiplier),
      scheduled_ts: timeText(change.fromMs),
    })),
    cursor,
  };
}
