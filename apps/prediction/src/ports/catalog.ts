import type {
  Book,
  CategoryRecord,
  EventRecord,
  MarketRecord,
  MarketStatus,
  MilestoneRecord,
  SeriesRecord,
  SportsRecord,
  StructuredTargetRecord,
} from '@agent-wallet/kalshi';

/**
 * The exchange's lists, at most a few seconds old, or minutes while it cannot be reached. All callers share the
 * records: none may change one.
 *
 * Every method throws AppError UPSTREAM_ERROR, UPSTREAM_TIMEOUT or SERVICE_UNAVAILABLE when the exchange cannot be
 * reached and nothing is cached. Undefined means that the exchange does not know the record.
 */
export interface CatalogSource {
  categories(): Promise<readonly CategoryRecord[]>;
  sports(): Promise<SportsRecord>;
  /** @throws AppError VALIDATION_ERROR naming `cursor` when it leads nowhere; so do all that take one */
  markets(query: MarketsQuery): Promise<Page<MarketRecord>>;
  market(ticker: string): Promise<MarketRecord | undefined>;
  /** Returns those of at most a hundred markets that the exchange knows, in any order. */
  marketsNamed(tickers: readonly string[]): Promise<readonly MarketRecord[]>;
  orderbook(ticker: string): Promise<Book | undefined>;
  events(query: EventsQuery): Promise<Page<EventRecord>>;
  /** Returns an event with its markets. */
  event(ticker: string): Promise<EventRecord | undefined>;
  /** Returns all series of a category, or of any; in order of ticker. */
  allSeries(category: string): Promise<readonly SeriesRecord[]>;
  series(ticker: string): Promise<SeriesRecord | undefined>;
  milestones(query: MilestonesQuery): Promise<Page<MilestoneRecord>>;
  milestone(id: string): Promise<MilestoneRecord | undefined>;
  structuredTargets(query: TargetsQuery): Promise<Page<StructuredTargetRecord>>;
  structuredTarget(id: string): Promise<StructuredTargetRecord | undefined>;
}

/** One page of a list; the cursor is empty after the last. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly cursor: string;
}

interface PageQuery {
  readonly limit: number;
  /** Empty for the first page. */
  readonly cursor: string;
}

/** Filter of markets; empty fields let everything through. */
export interface MarketsQuery extends PageQuery {
  readonly status: MarketStatus | undefined;
  readonly eventTicker: string;
  readonly seriesTicker: string;
}

/** Filter of events. */
export interface EventsQuery extends PageQuery {
  readonly status: MarketStatus | undefined;
}

/** Filter of milestones. */
export interface MilestonesQuery extends PageQuery {
  readonly category: string;
  readonly competition: string;
}

/** Filter of structured targets. */
export interface TargetsQuery extends PageQuery {
  readonly type: string;
  readonly competition: string;
}
