import type { FeeType } from '../engine/exchange.js';

/** How fine prices may be. */
export const PRICE_STRUCTURES = ['linear_cent', 'deci_cent', 'tapered_deci_cent'] as const;
export type PriceStructure = (typeof PRICE_STRUCTURES)[number];

/** Where a result is read off. */
interface Source {
  readonly name: string;
  readonly url: string;
}

/** A series: what repeats. */
export interface SeriesRecord {
  readonly ticker: string;
  readonly frequency: string;
  readonly title: string;
  readonly category: string;
  /** Categories it is found under; the first is `category`. */
  readonly categories: readonly string[];
  readonly tags: readonly string[];
  readonly sources: readonly Source[];
  readonly feeType: FeeType;
  /** Exact decimal text: "1", "0.5". */
  readonly feeMultiplier: string;
  readonly updatedMs: number;
}

/** An event: what happens once, with markets about it. */
export interface EventRecord {
  readonly ticker: string;
  readonly seriesTicker: string;
  readonly title: string;
  readonly subTitle: string;
  readonly category: string;
  readonly isMutuallyExclusive: boolean;
  readonly strikeDateMs?: number;
  readonly strikePeriod?: string;
  readonly competition?: string;
  readonly scope?: string;
  /** Fees that win over the series'. */
  readonly fee?: { readonly type: FeeType; readonly multiplier: string };
  /** A combo of other markets: not among ordinary events. */
  readonly collection?: string;
  readonly updatedMs: number;
}

/** What a yes depends on. */
export interface Strike {
  readonly type: 'greater' | 'less' | 'between' | 'structured' | 'custom';
  /** Exact decimal text. */
  readonly floor?: string;
  readonly cap?: string;
  readonly custom?: Readonly<Record<string, string>>;
}

/** What a market says in words; how it trades is the engine's. */
export interface MarketText {
  readonly ticker: string;
  readonly eventTicker: string;
  readonly marketType: 'binary' | 'scalar';
  readonly title: string;
  readonly subtitle: string;
  readonly yesSubTitle: string;
  readonly noSubTitle: string;
  readonly strike?: Strike;
  readonly rulesPrimary: string;
  readonly rulesSecondary: string;
  readonly canCloseEarly: boolean;
  readonly priceStructure: PriceStructure;
  readonly expectedExpirationMs: number;
  readonly latestExpirationMs: number;
  readonly createdMs: number;
  readonly updatedMs: number;
  /** Markets of a combo, all of which must come true. */
  readonly legs?: ReadonlyArray<{ readonly eventTicker: string; readonly marketTicker: string; readonly side: 'yes' }>;
}

/** What a market that is made for the world starts with. */
export interface MarketTerms {
  readonly openTimeMs: number;
  readonly closeTimeMs: number;
  /** How the market maker sees it at first: the chance of a yes in cents; undefined: no quotes. */
  readonly fairCents?: number;
  /** Trading is paused when the world begins. */
  readonly isPaused?: boolean;
  /** It had its result before the world began. */
  readonly settled?: 'yes' | 'no';
}

export interface MarketRecord {
  readonly text: MarketText;
  readonly terms: MarketTerms;
}

/** Something with a date to watch: a game, a release. */
export interface Milestone {
  readonly id: string;
  readonly category: string;
  readonly type: string;
  readonly startMs: number;
  readonly endMs?: number;
  readonly title: string;
  readonly message: string;
  readonly events: readonly string[];
  readonly sourceIds: Readonly<Record<string, string>>;
  readonly details: Readonly<Record<string, unknown>>;
  readonly updatedMs: number;
}

/** A person or thing that markets are about. */
export interface StructuredTarget {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly sourceIds: Readonly<Record<string, string>>;
  readonly updatedMs: number;
}

/** Other fees of a series or an event from a time on. */
export interface FeeChange {
  readonly id: string;
  readonly seriesTicker: string;
  /** Named when it is for one event only. */
  readonly eventTicker?: string;
  readonly feeType: FeeType;
  readonly feeMultiplier: string;
  readonly fromMs: number;
}

/** Everything the sandbox begins with. */
export interface WorldSeed {
  readonly series: readonly SeriesRecord[];
  readonly events: readonly EventRecord[];
  readonly markets: readonly MarketRecord[];
  readonly milestones: readonly Milestone[];
  readonly targets: readonly StructuredTarget[];
  readonly feeChanges: readonly FeeChange[];
}
