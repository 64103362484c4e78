import { RawJson } from '../../encoding/json.js';
import type { JsonRoute } from '../../http/json-server.js';
import type { SeriesRecord } from '../world/records.js';
import { countText } from './fixed-point.js';
import type { MarketDataContext } from './market-data-context.js';
import { timeText } from './market-json.js';
import { booleanOf, listOf, notFound, secondsOf, textOf } from './read-query.js';

/** Series and how their fees change. The list is whole: it has neither limit nor cursor. */
export function seriesRoutes(context: MarketDataContext): JsonRoute[] {
  return [
    { method: 'GET', path: '/series', answer: ({ query }) => ({ body: { series: list(context, query) } }) },
    {
      method: 'GET',
      path: '/series/fee_changes',
      answer: ({ query }) => ({ body: { series_fee_change_arr: feeChanges(context, query) } }),
    },
    {
      method: 'GET',
      path: '/series/{ticker}',
      answer: ({ names, query }) => {
        const series = context.world.series.get(names['ticker']!);
        if (!series) throw notFound('series not found');
        return { body: { series: seriesJson(series, volumes(context, query)) } };
      },
    },
  ];
}

function list(context: MarketDataContext, query: URLSearchParams): unknown[] {
  const category = textOf(query, 'category');
  const tags = listOf(query, 'tags');
  const updatedMs = secondsOf(query, 'min_updated_ts');
  const traded = volumes(context, query);
  return [...context.world.series.values()]
    .filter(
      (series) =>
        (category === undefined || series.categories.includes(category)) &&
        (tags === undefined || series.tags.some((tag) => tags.has(tag))) &&
        (updatedMs === undefined || series.updatedMs > updatedMs),
    )
    .map((series) => seriesJson(series, traded));
}

/** What traded in each series, if that is asked for. */
function volumes({ exchange, world }: MarketDataContext, query: URLSearchParams): Map<string, bigint> | undefined {
  if (!booleanOf(query, 'include_volume')) return undefined;
  const found = new Map<string, bigint>();
  for (const market of exchange.markets()) {
    const { seriesTicker } = world.events.get(market.eventTicker)!;
    found.set(seriesTicker, (found.get(seriesTicker) ?? 0n) + market.volumeHundredths);
  }
  return found;
}

function seriesJson(series: SeriesRecord, traded: Map<string, bigint> | undefined): unknown {
  return {
    ticker: series.ticker,
    frequency: series.frequency,
    title: series.title,
    category: series.category,
    categories: series.categories,
    tags: series.tags.length === 0 ? null : series.tags,
    settlement_sources: series.sources.length === 0 ? null : series.sources,
    contract_url: `https://example.com/contracts/${series.ticker}.pdf`,
    contract_terms_url: `https://example.com/terms/${series.ticker}.pdf`,
    fee_type: series.feeType,
    fee_multiplier: new RawJson(series.feeMultiplier),
    additional_prohibitions: [],
    ...(traded && { volume_fp: countText(traded.get(series.ticker) ?? 0n) }),
    last_updated_ts: timeText(series.updatedMs),
    exchange_index: 0,
  };
}

function feeChanges(context: MarketDataContext, query: URLSearchParams): unknown[] {
  const seriesTicker = textOf(query, 'series_ticker');
  const nowMs = context.exchange.nowMs();
  const isHistoryShown = booleanOf(query, 'show_historical');
  return context.world.feeChanges
    .filter(
      (change) =>
        change.eventTicker === undefined &&
        (seriesTicker === undefined || change.seriesTicker === seriesTicker) &&
        (isHistoryShown || change.fromMs > nowMs),
    )
    .map((change) => ({
      id: change.id,
      series_ticker: change.seriesTicker,
      fee_type: change.feeType,
      fee_multiplier: new RawJson(change.feeMultiplier),
      scheduled_ts: timeText(change.fromMs),
    }));
}
