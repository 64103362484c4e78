import type { Clock } from '@agent-wallet/kernel';
import {
  type Book,
  type CategoryRecord,
  eventResponse,
  type EventRecord,
  eventsResponse,
  marketResponse,
  type MarketRecord,
  marketsResponse,
  milestoneResponse,
  type MilestoneRecord,
  milestonesResponse,
  orderbookResponse,
  seriesResponse,
  seriesListResponse,
  type SeriesRecord,
  sportsResponse,
  type SportsRecord,
  structuredTargetResponse,
  type StructuredTargetRecord,
  structuredTargetsResponse,
  tagsResponse,
} from '@agent-wallet/kalshi';
import type {
  CatalogSource,
  EventsQuery,
  MarketsQuery,
  MilestonesQuery,
  Page,
  TargetsQuery,
} from '../../ports/catalog.js';
import { RecentCache } from './recent-cache.js';
import { responseSize } from './response-size.js';
import type { KalshiReader, Shape } from './kalshi-reader.js';
import { isName } from './names.js';

/** Dependencies of the catalog. */
interface KalshiCatalogDependencies {
  readonly reader: Pick<KalshiReader, 'ask' | 'find'>;
  readonly clock: Clock;
}

/** Prices move. */
const PRICES_FRESH_MS = 1_000;
/** Freshness of lists, which hardly change. */
const LISTS_FRESH_MS = 5_000;
const MAX_STALE_MS = 5 * 60_000;
/** Usual ones, of about two kilobytes. */
const MAX_RECORDS = 50_000;

/** A request to the exchange, and how long its response stays fresh. */
interface Asked<T> {
  readonly path: string;
  /** Parameters that are empty are left out. */
  readonly query?: Readonly<Record<string, string>>;
  readonly shape: Shape<T>;
  readonly freshMs: number;
}

/** The exchange's catalog over HTTP, remembered for seconds. */
export class KalshiCatalog implements CatalogSource {
  readonly #memory: RecentCache;

  constructor(private readonly dependencies: KalshiCatalogDependencies) {
    this.#memory = new RecentCache(dependencies.clock, { maxRecords: MAX_RECORDS, maxStaleMs: MAX_STALE_MS });
  }

  categories(): Promise<readonly CategoryRecord[]> {
    const path = '/search/tags_by_categories';
    return this.#list({ path, shape: tagsResponse, freshMs: LISTS_FRESH_MS }, (answer) => answer);
  }

  sports(): Promise<SportsRecord> {
    const asked = { path: '/search/filters_by_sport', shape: sportsResponse, freshMs: LISTS_FRESH_MS };
    return this.#list(asked, (answer) => answer);
  }

  markets({ status, eventTicker, seriesTicker, limit, cursor }: MarketsQuery): Promise<Page<MarketRecord>> {
    const query = {
      status: status ?? '',
      event_ticker: eventTicker,
      series_ticker: seriesTicker,
      // Combos have rules of their own: they are listed under their own event and series, and nowhere else.
      mve_filter: eventTicker === '' && seriesTicker === '' ? 'exclude' : '',
      limit: String(limit),
      cursor,
    };
    const asked = { path: '/markets', query, shape: marketsResponse, freshMs: PRICES_FRESH_MS };
    return this.#list(asked, (answer) => ({ items: answer.markets, cursor: answer.cursor }));
  }

  market(ticker: string): Promise<MarketRecord | undefined> {
    const asked = { path: `/markets/${ticker}`, shape: marketResponse, freshMs: PRICES_FRESH_MS };
    return this.#one(ticker, asked, (answer) => answer.market);
  }

  async marketsNamed(tickers: readonly string[]): Promise<readonly MarketRecord[]> {
    // In one order, so that the same query is remembered as one.
    const names = tickers.filter(isName).sort();
    if (names.length === 0) return [];
    const query = { tickers: names.join(','), limit: String(names.length) };
    const asked = { path: '/markets', query, shape: marketsResponse, freshMs: PRICES_FRESH_MS };
    return this.#list(asked, ({ markets }) => markets);
  }

  orderbook(ticker: string): Promise<Book | undefined> {
    const asked = { path: `/markets/${ticker}/orderbook`, shape: orderbookResponse, freshMs: PRICES_FRESH_MS };
    return this.#one(ticker, asked, (answer) => answer);
  }

  events({ status, limit, cursor }: EventsQuery): Promise<Page<EventRecord>> {
    const query = { status: status ?? '', limit: String(limit), cursor };
    const asked = { path: '/events', query, shape: eventsResponse, freshMs: LISTS_FRESH_MS };
    return this.#list(asked, (answer) => ({ items: answer.events, cursor: answer.cursor }));
  }

  event(ticker: string): Promise<EventRecord | undefined> {
    const query = { with_nested_markets: 'true' };
    const asked = { path: `/events/${ticker}`, query, shape: eventResponse, freshMs: PRICES_FRESH_MS };
    return this.#one(ticker, asked, (answer) => answer);
  }

  allSeries(category: string): Promise<readonly SeriesRecord[]> {
    const query = { category, include_volume: 'true' };
    const asked = { path: '/series', query, shape: seriesListResponse, freshMs: LISTS_FRESH_MS };
    return this.#list(asked, ({ series }) => series.sort((a, b) => (a.ticker < b.ticker ? -1 : 1)));
  }

  series(ticker: string): Promise<SeriesRecord | undefined> {
    const query = { include_volume: 'true' };
    const asked = { path: `/series/${ticker}`, query, shape: seriesResponse, freshMs: LISTS_FRESH_MS };
    return this.#one(ticker, asked, (answer) => answer.series);
  }

  milestones({ category, competition, limit, cursor }: MilestonesQuery): Promise<Page<MilestoneRecord>> {
    const query = { category, competition, limit: String(limit), cursor };
    const asked = { path: '/milestones', query, shape: milestonesResponse, freshMs: LISTS_FRESH_MS };
    return this.#list(asked, (answer) => ({ items: answer.milestones, cursor: answer.cursor }));
  }

  milestone(id: string): Promise<MilestoneRecord | undefined> {
    const asked = { path: `/milestones/${id}`, shape: milestoneResponse, freshMs: LISTS_FRESH_MS };
    return this.#one(id, asked, (answer) => answer.milestone);
  }

  structuredTargets({ type, competition, limit, cursor }: TargetsQuery): Promise<Page<StructuredTargetRecord>> {
    const query = { type, competition, page_size: String(limit), cursor };
    const asked = { path: '/structured_targets', query, shape: structuredTargetsResponse, freshMs: LISTS_FRESH_MS };
    return this.#list(asked, (answer) => ({ items: answer.structured_targets, cursor: answer.cursor }));
  }

  structuredTarget(id: string): Promise<StructuredTargetRecord | undefined> {
    const asked = { path: `/structured_targets/${id}`, shape: structuredTargetResponse, freshMs: LISTS_FRESH_MS };
    return this.#one(id, asked, (answer) => answer.structured_target);
  }

  #list<Answer, T>(asked: Asked<Answer>, pick: (answer: Answer) => T): Promise<T> {
    const query = queryOf(asked);
    const ask = async () => pick(await this.dependencies.reader.ask({ ...readQueryOf(asked), query }));
    return this.#memory.get(`${asked.path}?${query.toString()}`, { freshMs: asked.freshMs, ask, sizeOf: responseSize });
  }

  /** Returns one record from memory or the exchange, and remembers that the exchange does not know it, too. */
  async #one<Answer, T>(name: string, asked: Asked<Answer>, pick: (answer: Answer) => T): Promise<T | undefined> {
    if (!isName(name)) return undefined;
    const ask = async () => {
      const found = await this.dependencies.reader.find({ ...readQueryOf(asked), query: queryOf(asked) });
      return found === undefined ? undefined : pick(found);
    };
    return this.#memory.get(asked.path, { freshMs: asked.freshMs, ask, sizeOf: responseSize });
  }
}

function readQueryOf<T>({ path, shape }: Asked<T>) {
  return { path, shape, isSigned: false, lane: 'browsing' } as const;
}

function queryOf({ query = {} }: Asked<unknown>): URLSearchParams {
  return new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
}
