import type { predictionV1 } from '@agent-wallet/contracts';
import { contracts, orNull } from './cents.js';
import { type ExactJson, isoTime, readJson, textNumber } from './exact-json.js';
import { marketResponse } from './market-response.js';

/** Tags by category. */
export function categoriesResponse({ categories }: predictionV1.ListCategoriesResponse): ExactJson {
  return { categories: byName(categories, ({ tags }) => tags) };
}

/** Returns the filters of sports. */
export function sportsResponse({ sports, ordering }: predictionV1.ListSportsResponse): ExactJson {
  const filtersBySports = byName(sports, ({ scopes, competitions }) => ({
    scopes,
    competitions: byName(competitions, (competition) => ({ scopes: competition.scopes })),
  }));
  return { filtersBySports, sportOrdering: ordering };
}

/** Names are the exchange's: any of them is a field of its own. */
function byName<T extends { readonly name: string }>(list: readonly T[], show: (entry: T) => ExactJson): ExactJson {
  return Object.fromEntries(list.map((entry) => [entry.name, show(entry)]));
}

/** Returns an event as a list shows it. */
export function eventResponse(event: predictionV1.Event): Record<string, ExactJson> {
  return {
    eventTicker: event.eventTicker,
    seriesTicker: event.seriesTicker,
    title: event.title,
    subTitle: event.subTitle,
    category: event.category || null,
    mutuallyExclusive: event.mutuallyExclusive,
    strikeDate: orNull(event.strikeDateMs, isoTime),
    strikePeriod: event.strikePeriod || null,
    settlementSources: sourcesResponse(event.settlementSources),
    lastUpdatedAt: orNull(event.lastUpdatedAtMs, isoTime),
  };
}

/** Returns an event with its markets. */
export function eventDetailResponse(event: predictionV1.Event, markets: readonly predictionV1.Market[]): ExactJson {
  return { ...eventResponse(event), markets: markets.map(marketResponse) };
}

/** Returns a series in its public form. */
export function seriesResponse(series: predictionV1.Series): ExactJson {
  return {
    ticker: series.ticker,
    title: series.title,
    category: series.category,
    categories: series.categories,
    tags: series.tags,
    frequency: series.frequency,
    settlementSources: sourcesResponse(series.settlementSources),
    contractUrl: series.contractUrl,
    contractTermsUrl: series.contractTermsUrl,
    feeType: series.feeType,
    feeMultiplier: textNumber(series.feeMultiplier),
    volume: orNull(series.volumeHundredths, contracts),
  };
}

function sourcesResponse(sources: readonly predictionV1.SettlementSource[]): ExactJson {
  return sources.map(({ name, url }) => ({ name, url }));
}

/** Returns a milestone in its public form. */
export function milestoneResponse(milestone: predictionV1.Milestone): ExactJson {
  return {
    id: milestone.id,
    category: milestone.category,
    type: milestone.type,
    title: milestone.title,
    startDate: isoTime(milestone.startDateMs),
    endDate: orNull(milestone.endDateMs, isoTime),
    relatedEventTickers: milestone.relatedEventTickers,
    primaryEventTickers: milestone.primaryEventTickers,
    notificationMessage: milestone.notificationMessage,
    sourceIds: readJson(milestone.sourceIdsJson || '{}'),
    details: readJson(milestone.detailsJson || '{}'),
    lastUpdatedAt: isoTime(milestone.lastUpdatedAtMs),
  };
}

/** Returns a structured target in its public form. */
export function structuredTargetResponse(target: predictionV1.StructuredTarget): ExactJson {
  return {
    id: target.id,
    name: target.name,
    type: target.type,
    details: readJson(target.detailsJson || '{}'),
    sourceId: target.sourceId || null,
    lastUpdatedAt: orNull(target.lastUpdatedAtMs, isoTime),
  };
}
