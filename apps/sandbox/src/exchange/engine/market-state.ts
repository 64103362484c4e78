/** What a pair of YES and NO is worth. */
export const DOLLAR_MICROS = 1_000_000n;

/** What the exchange itself calls the state of a market. */
export type MarketStatus = 'initialized' | 'inactive' | 'active' | 'closed' | 'determined' | 'finalized';

export type Outcome = 'yes' | 'no';

/** How a market ended. A void pays like a scalar: the market's settlement value for each contract. */
export type MarketResult = Outcome | 'scalar' | 'void';

/** Series' fees, after an event's own terms. */
export type FeeType = 'quadratic' | 'quadratic_with_maker_fees' | 'quadratic_with_combo_maker_fees' | 'flat';

/** Prices from `startMicros` to `endMicros` are multiples of `stepMicros` away from the start. */
export interface PriceRange {
  readonly startMicros: bigint;
  readonly endMicros: bigint;
  readonly stepMicros: bigint;
}

/** A market as it is listed. Prices in micro-dollars a contract, counts in hundredths of a contract. */
export interface MarketSpec {
  readonly ticker: string;
  readonly eventTicker: string;
  readonly openTimeMs: number;
  readonly closeTimeMs: number;
  /** From determined to finalized. */
  readonly settlementTimerSeconds: number;
  readonly priceRanges: readonly PriceRange[];
  readonly feeType: FeeType;
  /** Exact decimal text, at most six decimals: "1", "0.5". */
  readonly feeMultiplier: string;
  /** What happened before this world began. */
  readonly past?: {
    readonly lastPriceMicros: bigint;
    readonly previousPriceMicros: bigint;
    readonly volumeHundredths: bigint;
    readonly volume24hHundredths: bigint;
    readonly openInterestHundredths: bigint;
  };
}

/** Market maker's bids, `[price in micro-dollars of that side, hundredths of a contract]`. */
export type Level = readonly [priceMicros: bigint, hundredths: bigint];

/** Bids of both sides; an ask of one is a bid of the other. */
export interface Quotes {
  readonly yesBids: readonly Level[];
  readonly noBids: readonly Level[];
}

/** How a market stands when the world begins; what is left out follows from its times. */
export interface Beginning {
  readonly quotes?: Quotes | undefined;
  readonly isPaused?: boolean | undefined;
  /** It closed at its time and is finalized since its settlement timer had run. */
  readonly settled?: Ending | undefined;
}

/** How a market ends. `valueCents` is what a YES contract pays: needed for `scalar`, may be given for `void`. */
export interface Ending {
  readonly result: MarketResult;
  readonly valueCents?: number | undefined;
}

/** A market as it stands. */
export interface MarketState extends Omit<MarketSpec, 'past'> {
  readonly status: MarketStatus;
  /** When it last changed; 0: not since the world began. */
  readonly updatedMs: number;
  readonly result: MarketResult | undefined;
  /** What a YES contract pays; known from `determined` on. */
  readonly settlementValueMicros: bigint | undefined;
  readonly determinedAtMs: number | undefined;
  /** When it was finalized. */
  readonly settledAtMs: number | undefined;
  /** 0: never traded. */
  readonly lastPriceMicros: bigint;
  /** The price before the last one. */
  readonly previousPriceMicros: bigint;
  readonly volumeHundredths: bigint;
  readonly openInterestHundredths: bigint;
}
