import { predictionV1 } from '@agent-wallet/contracts';
import { AppError, invalidCursor } from '@agent-wallet/kernel';
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

const MAX_CURSOR = 2_000;

const { MarketStatus: Wire } = predictionV1;

const STATUS: Readonly<Record<MarketStatus, predictionV1.MarketStatus>> = {
  unopened: Wire.MARKET_STATUS_UNOPENED,
  open: Wire.MARKET_STATUS_OPEN,
  closed: Wire.MARKET_STATUS_CLOSED,
  settled: Wire.MARKET_STATUS_SETTLED,
};

const FILTER: Readonly<Partial<Record<predictionV1.MarketStatus, MarketStatus>>> = {
  [Wire.MARKET_STATUS_UNOPENED]: 'unopened',
  [Wire.MARKET_STATUS_OPEN]: 'open',
  [Wire.MARKET_STATUS_CLOSED]: 'closed',
  [Wire.MARKET_STATUS_SETTLED]: 'settled',
};

const time = (ms: number | undefined) => (ms === undefined ? undefined : BigInt(ms));

/** Returns a filter by status; undefined for any. */
export function statusOf(status: predictionV1.MarketStatus): MarketStatus | undefined {
  return FILTER[status];
}

/** Returns the page that a caller requests. @throws AppError VALIDATION_ERROR */
export function pageOf({ limit, cursor }: { limit: number; cursor: string }, most: number) {
  if (limit < 1 || limit > most) throw AppError.field('limit', `must be from 1 to ${most}`);
  if (cursor.length > MAX_CURSOR) throw invalidCursor();
  return { limit, cursor };
}

/** Returns a category with its tags. */
export function toCategory({ name, tags }: CategoryRecord): predictionV1.ListCategoriesResponse_Category {
  return { name, tags: [...tags] };
}

/** Returns a sport with its competitions. */
export function toSport({
  name,
  scopes,
  competitions,
}: SportsRecord['sports'][number]): predictionV1.ListSportsResponse_Sport {
  return {
    name,
    scopes: [...scopes],
    competitions: competitions.map((one) => ({ name: one.name, scopes: [...one.scopes] })),
  };
}

/** Returns a market as a list shows it. */
export function toMarket(market: MarketRecord): predictionV1.Market {
  return {
    ticker: market.ticker,
    eventTicker: market.eventTicker,
    title: market.title,
    subtitle: market.subtitle,
    status: STATUS[market.status],
    paused: market.paused,
    yesBidUsdMicros: market.yesBidUsdMicros,
    yesAskUsdMicros: market.yesAskUsdMicros,
    noBidUsdMicros: market.noBidUsdMicros,
    noAskUsdMicros: market.noAskUsdMicros,
    lastPriceUsdMicros: market.lastPriceUsdMicros,
    volume24hHundredths: market.volume24h,
    openInterestHundredths: market.openInterest,
    closeTimeMs: BigInt(market.closeTimeMs),
    details: undefined,
  };
}

/** Returns a market with its details. */
export function toDetailedMarket(market: MarketRecord): predictionV1.Market {
  return {
    ...toMarket(market),
    details: {
      marketType: market.marketType,
      yesSubTitle: market.yesSubTitle,
      noSubTitle: market.noSubTitle,
      openTimeMs: BigInt(market.openTimeMs),
      expectedExpirationTimeMs: time(market.expectedExpirationTimeMs),
      latestExpirationTimeMs: BigInt(market.latestExpirationTimeMs),
      settlementTimerSeconds: market.settlementTimerSeconds,
      volumeHundredths: market.volume,
      previousPriceUsdMicros: market.previousPriceUsdMicros,
      result: market.result ?? '',
      settlementValueUsdMicros: market.settlementValueUsdMicros,
      settledAtMs: time(market.settledAtMs),
      canCloseEarly: market.canCloseEarly,
      strikeType: market.strikeType,
      floorStrike: market.floorStrike,
      capStrike: market.capStrike,
      rulesPrimary: market.rulesPrimary,
      rulesSecondary: market.rulesSecondary,
    },
  };
}

/** Returns a book, the best price last. */
export function toOrderbook(ticker: string, { yesBids, noBids }: Book): predictionV1.Orderbook {
  const levels = (bids: Book['yesBids']) =>
    bids.map(({ priceUsdMicros, count }) => ({ priceUsdMicros, countHundredths: count })).reverse();
  return { ticker, yes: levels(yesBids), no: levels(noBids) };
}

/** Returns an event without its markets. */
export function toEvent(event: EventRecord): predictionV1.Event {
  return {
    eventTicker: event.eventTicker,
    seriesTicker: event.seriesTicker,
    title: event.title,
    subTitle: event.subTitle,
    category: event.category,
    mutuallyExclusive: event.mutuallyExclusive,
    strikeDateMs: time(event.strikeDateMs),
    strikePeriod: event.strikePeriod,
    settlementSources: event.settlementSources.map((source) => ({ ...source })),
    lastUpdatedAtMs: time(event.lastUpdatedAtMs),
  };
}

/** Returns a series as its message. */
export function toSeries(series: SeriesRecord): predictionV1.Series {
  return {
    ticker: series.ticker,
    title: series.title,
    category: series.category,
    categories: [...series.categories],
    tags: [...series.tags],
    frequency: series.frequency,
    settlementSources: series.settlementSources.map((source) => ({ ...source })),
    contractUrl: series.contractUrl,
    contractTermsUrl: series.contractTermsUrl,
    feeType: series.feeType,
    feeMultiplier: series.feeMultiplier,
    volumeHundredths: series.volume,
  };
}

/** Returns a milestone as its message. */
export function toMilestone(milestone: MilestoneRecord): predictionV1.Milestone {
  return {
    id: milestone.id,
    category: milestone.category,
    type: milestone.type,
    title: milestone.title,
    startDateMs: BigInt(milestone.startDateMs),
    endDateMs: time(milestone.endDateMs),
    relatedEventTickers: [...milestone.relatedEventTickers],
    primaryEventTickers: [...milestone.primaryEventTickers],
    notificationMessage: milestone.notificationMessage,
    sourceIdsJson: JSON.stringify(milestone.sourceIds),
    detailsJson: JSON.stringify(milestone.details),
    lastUpdatedAtMs: BigInt(milestone.lastUpdatedAtMs),
  };
}

/** Returns a structured target as its message. */
export function toStructuredTarget(target: StructuredTargetRecord): predictionV1.StructuredTarget {
  return {
    id: target.id,
    name: target.name,
    type: target.type,
    detailsJson: JSON.stringify(target.details),
    sourceId: target.sourceId,
    lastUpdatedAtMs: time(target.lastUpdatedAtMs),
  };
}
