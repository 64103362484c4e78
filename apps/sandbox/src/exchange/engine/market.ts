import type { FeeTerms } from './fees.js';
import {
  type Beginning,
  DOLLAR_MICROS,
  type Ending,
  type FeeType,
  type MarketResult,
  type MarketSpec,
  type MarketState,
  type MarketStatus,
  type PriceRange,
} from './market-state.js';
import { OrderBook } from './order-book.js';
import { Refusal } from './refusal.js';

const CENT_MICROS = 10_000n;
const DAY_MS = 24 * 3600_000;

/** A market's life and its book. Who trades, and what that costs, is the floor's matter. */
export class Market implements MarketState {
  readonly ticker: string;
  readonly eventTicker: string;
  readonly settlementTimerSeconds: number;
  readonly priceRanges: readonly PriceRange[];
  readonly feeType: FeeType;
  readonly feeMultiplier: string;
  readonly terms: FeeTerms;
  readonly book = new OrderBook();
  openTimeMs: number;
  closeTimeMs: number;
  status: MarketStatus = 'initialized';
  updatedMs = 0;
  result: MarketResult | undefined;
  settlementValueMicros: bigint | undefined;
  determinedAtMs: number | undefined;
  settledAtMs: number | undefined;
  lastPriceMicros: bigint;
  previousPriceMicros: bigint;
  volumeHundredths: bigint;
  openInterestHundredths: bigint;

  /** What traded within the last day, oldest first, and its sum with what counts from before the world began. */
  private readonly recent: Array<{ readonly timeMs: number; readonly hundredths: bigint }> = [];
  private recentHundredths: bigint;

  constructor(spec: MarketSpec) {
    this.ticker = spec.ticker;
    this.eventTicker = spec.eventTicker;
    this.openTimeMs = spec.openTimeMs;
    this.closeTimeMs = spec.closeTimeMs;
    this.settlementTimerSeconds = spec.settlementTimerSeconds;
    this.priceRanges = spec.priceRanges;
    this.feeType = spec.feeType;
    this.feeMultiplier = spec.feeMultiplier;
    this.terms = { feeType: spec.feeType, multiplier: readMultiplier(spec.feeMultiplier) };
    this.lastPriceMicros = spec.past?.lastPriceMicros ?? 0n;
    this.previousPriceMicros = spec.past?.previousPriceMicros ?? 0n;
    this.volumeHundredths = spec.past?.volumeHundredths ?? 0n;
    this.openInterestHundredths = spec.past?.openInterestHundredths ?? 0n;
    this.recentHundredths = spec.past?.volume24hHundredths ?? 0n;
  }

  /** Whether the market maker may quote it, and orders may rest. */
  get isListed(): boolean {
    return this.status === 'initialized' || this.status === 'active' || this.status === 'inactive';
  }

  /** When time changes it next. */
  get dueMs(): number {
    if (this.status === 'initialized') return this.openTimeMs;
    if (this.status === 'active' || this.status === 'inactive') return this.closeTimeMs;
    if (this.status === 'determined') return this.determinedAtMs! + this.settlementTimerSeconds * 1000;
    return Infinity;
  }

  /** Puts it where the world finds it. */
  begin({ isPaused, settled }: Beginning): void {
    if (isPaused) this.status = 'inactive';
    if (!settled) return;
    this.determine(settled, this.closeTimeMs);
    this.finalize(this.dueMs);
  }

  traded(hundredths: bigint, priceMicros: bigint, timeMs: number): void {
    this.previousPriceMicros = this.lastPriceMicros;
    this.lastPriceMicros = priceMicros;
    this.volumeHundredths += hundredths;
    this.recent.push({ timeMs, hundredths });
    this.recentHundredths += hundredths;
    this.updatedMs = timeMs;
  }

  /** What traded in the 24 hours before. */
  volume24h(timeMs: number): bigint {
    while (this.recent.length > 0 && this.recent[0]!.timeMs <= timeMs - DAY_MS) {
      this.recentHundredths -= this.recent.shift()!.hundredths;
    }
    return this.recentHundredths;
  }

  /** The account's part of the open interest changed. */
  held(beforeHundredths: bigint, afterHundredths: bigint): void {
    this.openInterestHundredths += size(afterHundredths) - size(beforeHundredths);
  }

  become(status: MarketStatus, timeMs: number): void {
    this.status = status;
    this.updatedMs = timeMs;
  }

  /** @throws Refusal when there is no value, or none that a contract can pay */
  determine(ending: Ending, timeMs: number): void {
    this.settlementValueMicros = this.valueOf(ending);
    this.result = ending.result;
    this.determinedAtMs = timeMs;
    this.become('determined', timeMs);
  }

  finalize(timeMs: number): void {
    this.settledAtMs = timeMs;
    this.become('finalized', timeMs);
  }

  /** What a YES contract pays. A void without a value pays the last price, or half a dollar if it never traded. */
  valueOf({ result, valueCents }: Ending): bigint {
    if (result === 'yes' || result === 'no') return result === 'yes' ? DOLLAR_MICROS : 0n;
    if (valueCents === undefined) {
      if (result === 'scalar') throw new Refusal('bad_request', 'valueCents: a scalar needs one');
      return this.lastPriceMicros || DOLLAR_MICROS / 2n;
    }
    if (!Number.isInteger(valueCents) || valueCents < 0 || valueCents > 100) {
      throw new Refusal('bad_request', 'valueCents: must be whole and between 0 and 100');
    }
    return BigInt(valueCents) * CENT_MICROS;
  }
}

function size(hundredths: bigint): bigint {
  return hundredths < 0n ? -hundredths : hundredths;
}

/** Decimal text with at most six decimals, in millionths. @throws Refusal */
export function readMultiplier(text: string): bigint {
  const [, whole, decimals = ''] = /^(\d{1,6})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  if (whole === undefined) throw new Refusal('bad_request', `feeMultiplier: ${text}`);
  return BigInt(whole + decimals.padEnd(6, '0'));
}
