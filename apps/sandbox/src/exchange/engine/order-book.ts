import { DOLLAR_MICROS, type Level, type Outcome } from './market-state.js';
import type { BookSide } from './records.js';

/** What rests in a book: an order of the account, or (without an id) a quote of the market maker. */
export interface Resting {
  readonly orderId: string | undefined;
  readonly side: BookSide;
  /** On the scale of YES. */
  readonly priceMicros: bigint;
  hundredths: bigint;
}

/** A level of bids that changed. */
interface LevelChange {
  readonly outcome: Outcome;
  readonly priceMicros: bigint;
  readonly deltaHundredths: bigint;
}

/** One market's orders on the scale of YES, the best price first and at one price the oldest. */
export class OrderBook {
  private readonly sides: Readonly<Record<BookSide, Resting[]>> = { bid: [], ask: [] };
  private readonly changed = new Map<string, LevelChange>();

  /** Puts an order behind all that rest at its price. */
  add(resting: Resting): void {
    const side = this.sides[resting.side];
    const behind = side.findIndex((other) => isBetter(resting, other));
    side.splice(behind < 0 ? side.length : behind, 0, resting);
    this.note(resting, resting.hundredths);
  }

  /** What an order would meet, in the order in which it would. */
  crossing(side: BookSide, limitMicros: bigint): readonly Resting[] {
    if (side === 'bid') return this.sides.ask.filter(({ priceMicros }) => priceMicros <= limitMicros);
    return this.sides.bid.filter(({ priceMicros }) => priceMicros >= limitMicros);
  }

  /** Takes a part off, or all of it. */
  reduce(resting: Resting, byHundredths = resting.hundredths): void {
    resting.hundredths -= byHundredths;
    this.note(resting, -byHundredths);
    if (resting.hundredths > 0n) return;
    const side = this.sides[resting.side];
    side.splice(side.indexOf(resting), 1);
  }

  find(orderId: string): Resting | undefined {
    return this.all().find((resting) => resting.orderId === orderId);
  }

  /** Takes the market maker's quotes away. */
  clearQuotes(): void {
    for (const resting of this.all()) if (resting.orderId === undefined) this.reduce(resting);
  }

  /** Everything that rests. */
  all(): Resting[] {
    return [...this.sides.bid, ...this.sides.ask];
  }

  /** Bids of one outcome, the best first. */
  levels(outcome: Outcome): Level[] {
    const levels = new Map<bigint, bigint>();
    for (const { priceMicros, hundredths } of this.sides[outcome === 'yes' ? 'bid' : 'ask']) {
      const price = ownPrice(outcome, priceMicros);
      levels.set(price, (levels.get(price) ?? 0n) + hundredths);
    }
    return [...levels];
  }

  /** The levels that changed since this was last asked. */
  takeChanges(): LevelChange[] {
    if (this.changed.size === 0) return [];
    const changes = [...this.changed.values()].filter(({ deltaHundredths }) => deltaHundredths !== 0n);
    this.changed.clear();
    return changes;
  }

  private note({ side, priceMicros }: Resting, deltaHundredths: bigint): void {
    const outcome = boughtBy(side);
    const price = ownPrice(outcome, priceMicros);
    const key = `${outcome} ${price}`;
    const before = this.changed.get(key)?.deltaHundredths ?? 0n;
    this.changed.set(key, { outcome, priceMicros: price, deltaHundredths: before + deltaHundredths });
  }
}

/** What an order of a side buys. */
export function boughtBy(side: BookSide): Outcome {
  return side === 'bid' ? 'yes' : 'no';
}

/** A price on the scale of YES, as the outcome's own; and back. */
export function ownPrice(outcome: Outcome, priceMicros: bigint): bigint {
  return outcome === 'yes' ? priceMicros : DOLLAR_MICROS - priceMicros;
}

function isBetter(one: Resting, other: Resting): boolean {
  return one.side === 'bid' ? one.priceMicros > other.priceMicros : one.priceMicros < other.priceMicros;
}
