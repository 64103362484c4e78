import { v5 } from 'uuid';
import type { EventRecord, FeeChange, MarketRecord, MarketTerms, MarketText, Milestone } from '../records.js';
import type { SeriesRecord, StructuredTarget, WorldSeed } from '../records.js';

const DAY_MS = 24 * 3_600_000;
const NAMESPACE = '6f1d3b0a-95d4-5c0e-9d0b-7f6c2f9f5a11';
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

type SeriesDraft = Pick<SeriesRecord, 'ticker' | 'frequency' | 'title' | 'category' | 'tags' | 'sources'> &
  Partial<Pick<SeriesRecord, 'categories' | 'feeType' | 'feeMultiplier'>>;

type EventDraft = { readonly suffix: string } & Pick<EventRecord, 'title' | 'subTitle'> &
  Partial<Omit<EventRecord, 'ticker' | 'seriesTicker' | 'category' | 'updatedMs'>>;

type MarketDraft = {
  readonly suffix: string;
  readonly yes: string;
  readonly rules: string;
  /** Days from the beginning until it closes. */
  readonly closeDay: number;
  readonly openDay?: number;
} & Partial<Pick<MarketText, 'strike' | 'marketType' | 'priceStructure' | 'legs'>> &
  Pick<MarketTerms, 'fairCents' | 'isPaused' | 'settled'>;

/** Writes the world down, with dates counted from its beginning. */
export class SeedBuilder {
  private readonly written = {
    series: [] as SeriesRecord[],
    events: [] as EventRecord[],
    markets: [] as MarketRecord[],
    milestones: [] as Milestone[],
    targets: [] as StructuredTarget[],
    feeChanges: [] as FeeChange[],
  };
  private readonly midnightMs: number;

  constructor(originMs: number) {
    this.midnightMs = Math.floor(originMs / DAY_MS) * DAY_MS;
  }

  get world(): WorldSeed {
    return this.written;
  }

  /** A day counted from the beginning, at an hour, in milliseconds. */
  day(days: number, hour = 0): number {
    return this.midnightMs + days * DAY_MS + hour * 3_600_000;
  }

  /** A day as tickers write it: 26DEC01. */
  code(days: number): string {
    const date = new Date(this.day(days));
    const [year, day] = [String(date.getUTCFullYear()).slice(2), String(date.getUTCDate()).padStart(2, '0')];
    return `${year}${MONTHS[date.getUTCMonth()]!.toUpperCase()}${day}`;
  }

  /** A day as people read it: Dec 1, 2026. */
  date(days: number): string {
    const date = new Date(this.day(days));
    return `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}, ${date.getUTCFullYear()}`;
  }

  series(draft: SeriesDraft): SeriesRecord {
    const usual = { categories: [draft.category], feeType: 'quadratic', feeMultiplier: '1' } as const;
    const series = { ...usual, ...draft, updatedMs: this.day(-30) };
    this.written.series.push(series);
    return series;
  }

  event(series: SeriesRecord, { suffix, ...draft }: EventDraft): EventRecord {
    const event = {
      isMutuallyExclusive: false,
      ...draft,
      ticker: `${series.ticker}-${suffix}`,
      seriesTicker: series.ticker,
      category: series.category,
      updatedMs: this.day(-10),
    };
    this.written.events.push(event);
    return event;
  }

  market(event: EventRecord, { suffix, yes, rules, closeDay, openDay = -10, ...draft }: MarketDraft): void {
    const { fairCents, isPaused, settled, ...text } = draft;
    const closeTimeMs = this.day(closeDay, 15);
    this.written.markets.push({
      text: {
        marketType: 'binary',
        priceStructure: 'linear_cent',
        ...text,
        ticker: `${event.ticker}-${suffix}`,
        eventTicker: event.ticker,
        title: `${event.title} — ${yes}`,
        subtitle: yes,
        yesSubTitle: yes,
        noSubTitle: `Not: ${yes}`,
        rulesPrimary: rules,
        rulesSecondary: 'The sources named by the series decide. This market is imaginary: it exists in a sandbox.',
        canCloseEarly: true,
        expectedExpirationMs: closeTimeMs + 3 * 3_600_000,
        latestExpirationMs: closeTimeMs + 14 * DAY_MS,
        createdMs: this.day(-12),
        updatedMs: this.day(-10),
      },
      terms: {
        openTimeMs: this.day(openDay),
        closeTimeMs,
        ...(fairCents !== undefined && { fairCents }),
        ...(isPaused && { isPaused }),
        ...(settled && { settled }),
      },
    });
  }

  milestone(draft: Omit<Milestone, 'id' | 'updatedMs' | 'sourceIds'>): void {
    const id = idOf(`milestone/${draft.title}/${draft.events.join()}`);
    this.written.milestones.push({ ...draft, id, sourceIds: { sandbox: id.slice(0, 8) }, updatedMs: this.day(-10) });
  }

  feeChange(draft: Omit<FeeChange, 'id'>): void {
    const id = idOf(`fees/${draft.eventTicker ?? draft.seriesTicker}`);
    this.written.feeChanges.push({ ...draft, id });
  }

  /** Writes down a person that markets are about, and answers the id. */
  target(type: string, name: string, details: StructuredTarget['details']): string {
    const id = idOf(`${type}/${name}`);
    const known = this.written.targets.some((target) => target.id === id);
    const sourceIds = { sandbox: id.slice(0, 8) };
    if (!known) this.written.targets.push({ id, name, type, details, sourceIds, updatedMs: this.day(-30) });
    return id;
  }
}

/** The same name has the same id in every world. */
function idOf(name: string): string {
  return v5(name, NAMESPACE);
}

/** A number from 0 to 1 that belongs to a name (FNV-1a, then mixed, so that like names differ). */
export function chance(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i += 1) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 0xffffffff;
}

/** A share as whole cents that may be quoted. */
export function cents(share: number): number {
  return Math.min(97, Math.max(3, Math.round(share * 100)));
}

/** How likely it is that something around `middle` ends above `strike`. */
export function above(strike: number, middle: number, spread: number): number {
  return 1 / (1 + Math.exp((strike - middle) / spread));
}

/** What several outcomes, one of which will come true, are worth in cents. */
export function shares(names: readonly string[]): number[] {
  const weights = names.map((name) => 0.2 + chance(name));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => cents(weight / all));
}
