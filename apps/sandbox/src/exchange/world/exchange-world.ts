import type { Journal } from '../../journal/journal.js';
import { RecordType } from '../../journal/record-types.js';
import type { EventRecord, FeeChange, MarketText, Milestone } from './records.js';
import type { SeriesRecord, StructuredTarget, WorldSeed } from './records.js';

/** What is added to the world; names that are known already stay as they are. */
export interface Addition {
  readonly series?: SeriesRecord | undefined;
  readonly event?: EventRecord | undefined;
  readonly market: MarketText;
}

type WorldRecord = { readonly add: Addition } | { readonly pin: string };

/**
 * What the exchange says in words: series, events, markets' texts, milestones, targets. The beginning is made of the
 * date of the world's origin; what an admin added is in the journal. How markets trade is the engine's.
 */
export class ExchangeWorld {
  readonly series = new Map<string, SeriesRecord>();
  readonly events = new Map<string, EventRecord>();
  readonly milestones: readonly Milestone[];
  readonly targets: readonly StructuredTarget[];
  readonly feeChanges: readonly FeeChange[];
  private readonly texts = new Map<string, MarketText>();
  private readonly pinned = new Set<string>();

  constructor(
    readonly seed: WorldSeed,
    private readonly journal: Journal,
  ) {
    for (const series of seed.series) this.series.set(series.ticker, series);
    for (const event of seed.events) this.events.set(event.ticker, event);
    for (const { text } of seed.markets) this.texts.set(text.ticker, text);
    this.milestones = [...seed.milestones].sort((a, b) => a.startMs - b.startMs);
    this.targets = seed.targets;
    this.feeChanges = seed.feeChanges;
  }

  /** Takes back one record of type `exchangeWorld`. */
  replay(payload: Buffer): void {
    this.apply(JSON.parse(payload.toString()) as WorldRecord);
  }

  text(ticker: string): MarketText | undefined {
    return this.texts.get(ticker);
  }

  /** Adds a market's texts, with its event and series where they are missing. */
  add(addition: Addition): void {
    this.record({ add: addition });
  }

  /** From now on the market maker leaves this market's book as it was set. */
  pin(ticker: string): void {
    if (!this.pinned.has(ticker)) this.record({ pin: ticker });
  }

  isPinned(ticker: string): boolean {
    return this.pinned.has(ticker);
  }

  private record(record: WorldRecord): void {
    this.journal.append(RecordType.exchangeWorld, Buffer.from(JSON.stringify(record)));
    this.apply(record);
  }

  private apply(record: WorldRecord): void {
    if ('pin' in record) this.pinned.add(record.pin);
    else {
      const { series, event, market } = record.add;
      if (series && !this.series.has(series.ticker)) this.series.set(series.ticker, series);
      if (event && !this.events.has(event.ticker)) this.events.set(event.ticker, event);
      this.texts.set(market.ticker, market);
    }
  }
}
