import type { Addition, ExchangeWorld } from './exchange-world.js';
import type { EventRecord, PriceStructure, SeriesRecord } from './records.js';
import { BadRequest } from '../../http/json-server.js';

const CATEGORY = 'Sandbox';

/** A market made on request; names that are left out are made from the ticker's. */
interface MarketOrder {
  readonly ticker: string;
  readonly title: string;
  readonly eventTicker?: string | undefined;
  readonly seriesTicker?: string | undefined;
  readonly priceStructure?: PriceStructure | undefined;
}

/**
 * What a new market says in words, with the event and the series it needs.
 * @throws BadRequest when the event belongs to another series
 */
export function marketTexts(
  world: ExchangeWorld,
  { ticker, title, priceStructure = 'linear_cent', ...names }: MarketOrder,
  { nowMs, closeTimeMs }: { nowMs: number; closeTimeMs: number },
): Addition {
  const eventTicker = names.eventTicker ?? upTo(ticker, ticker.lastIndexOf('-'));
  const known = world.events.get(eventTicker);
  const seriesTicker = names.seriesTicker ?? known?.seriesTicker ?? upTo(eventTicker, eventTicker.indexOf('-'));
  if (known && known.seriesTicker !== seriesTicker) {
    throw new BadRequest(`seriesTicker: the event ${eventTicker} is of the series ${known.seriesTicker}`);
  }
  const isNewSeries = !world.series.has(seriesTicker);
  return {
    series: isNewSeries ? seriesOf(seriesTicker, title, nowMs) : undefined,
    event: known ? undefined : eventOf(eventTicker, { seriesTicker, title, nowMs }, world),
    market: {
      ticker,
      eventTicker,
      marketType: 'binary',
      title,
      subtitle: title,
      yesSubTitle: 'Yes',
      noSubTitle: 'No',
      rulesPrimary: `The sandbox's operator decides: ${title}`,
      rulesSecondary: '',
      canCloseEarly: true,
      priceStructure,
      expectedExpirationMs: closeTimeMs,
      latestExpirationMs: closeTimeMs,
      createdMs: nowMs,
      updatedMs: nowMs,
    },
  };
}

function upTo(text: string, end: number): string {
  return end > 0 ? text.slice(0, end) : text;
}

function seriesOf(ticker: string, title: string, nowMs: number): SeriesRecord {
  return {
    ticker,
    frequency: 'custom',
    title,
    category: CATEGORY,
    categories: [CATEGORY],
    tags: [],
    sources: [],
    feeType: 'quadratic',
    feeMultiplier: '1',
    updatedMs: nowMs,
  };
}

function eventOf(
  ticker: string,
  { seriesTicker, title, nowMs }: { seriesTicker: string; title: string; nowMs: number },
  world: ExchangeWorld,
): EventRecord {
  const category = world.series.get(seriesTicker)?.category ?? CATEGORY;
  return { ticker, seriesTicker, title, subTitle: '', category, isMutuallyExclusive: false, updatedMs: nowMs };
}
