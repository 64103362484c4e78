import type { MarketState, MarketStatus } from '../engine/exchange.js';
import type { ExchangeWorld } from '../world/exchange-world.js';
import { invalid, listOf, oneOf, secondsOf, textOf } from './read-query.js';

/** The words of the list's filter, which are others than a market's own. */
const FILTERS = ['unopened', 'open', 'paused', 'closed', 'settled'] as const;

type StatusFilter = (typeof FILTERS)[number];

const FILTER_OF: Readonly<Record<MarketStatus, StatusFilter>> = {
  initialized: 'unopened',
  active: 'open',
  inactive: 'paused',
  closed: 'closed',
  determined: 'closed',
  finalized: 'settled',
};

/** Which times may be asked for beside which status. */
const TIMES: ReadonlyArray<{
  readonly name: 'created' | 'close' | 'settled';
  readonly beside: readonly StatusFilter[];
  readonly timeOf: (market: MarketState, world: ExchangeWorld) => number | undefined;
}> = [
  { name: 'created', beside: ['unopened', 'open'], timeOf: ({ ticker }, world) => world.text(ticker)!.createdMs },
  { name: 'close', beside: ['closed'], timeOf: (market) => market.closeTimeMs },
  { name: 'settled', beside: ['settled'], timeOf: (market) => market.settledAtMs },
];

/** A market's state in the filter's words. */
export function statusWord(market: MarketState): StatusFilter {
  return FILTER_OF[market.status];
}

/** Reads the filters of a list of markets. @throws ExchangeError for those that do not go together */
export function marketFilter(query: URLSearchParams, world: ExchangeWorld): (market: MarketState) => boolean {
  const status = oneOf(query, 'status', FILTERS);
  const eventTicker = textOf(query, 'event_ticker');
  const seriesTicker = textOf(query, 'series_ticker');
  const tickers = listOf(query, 'tickers');
  const combos = oneOf(query, 'mve_filter', ['only', 'exclude']);
  const updatedMs = secondsOf(query, 'min_updated_ts');
  const isInTime = timeFilter(query, status, updatedMs !== undefined);
  if (updatedMs !== undefined && (status ?? eventTicker ?? tickers ?? combos === 'only')) {
    throw invalid('min_updated_ts goes with no other filter than series_ticker and mve_filter=exclude');
  }
  return (market) =>
    (status === undefined || statusWord(market) === status) &&
    (eventTicker === undefined || market.eventTicker === eventTicker) &&
    (seriesTicker === undefined || world.events.get(market.eventTicker)!.seriesTicker === seriesTicker) &&
    (tickers === undefined || tickers.has(market.ticker)) &&
    (combos === undefined || isCombo(world, market) === (combos === 'only')) &&
    (updatedMs === undefined || Math.max(market.updatedMs, world.text(market.ticker)!.updatedMs) > updatedMs) &&
    isInTime(market, world);
}

/** Of an event's markets, what the event is as a whole. */
export function eventStatus(markets: readonly MarketState[]): StatusFilter | undefined {
  const filters = new Set(markets.map(statusWord));
  if (filters.has('open') || filters.has('paused')) return 'open';
  if (filters.has('unopened')) return 'unopened';
  return filters.has('closed') ? 'closed' : filters.has('settled') ? 'settled' : undefined;
}

function isCombo(world: ExchangeWorld, market: MarketState): boolean {
  return world.events.get(market.eventTicker)?.collection !== undefined;
}

function timeFilter(
  query: URLSearchParams,
  status: StatusFilter | undefined,
  isForUpdates: boolean,
): (market: MarketState, world: ExchangeWorld) => boolean {
  const asked = TIMES.flatMap(({ name, beside, timeOf }) => {
    const [min, max] = [secondsOf(query, `min_${name}_ts`), secondsOf(query, `max_${name}_ts`)];
    return min === undefined && max === undefined ? [] : [{ name, beside, timeOf, min, max }];
  });
  const [only] = asked;
  if (!only) return () => true;
  if (asked.length > 1 || isForUpdates) throw invalid('filters by different times exclude each other');
  if (status !== undefined && !only.beside.includes(status)) {
    throw invalid(`filters by time ${only.name} do not go with status ${status}`);
  }
  const { timeOf, min = -Infinity, max = Infinity } = only;
  return (market, world) => {
    const timeMs = timeOf(market, world);
    return timeMs !== undefined && timeMs >= min && timeMs <= max;
  };
}
