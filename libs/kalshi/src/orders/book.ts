import { DOLLAR_USD_MICROS } from '../money/fixed-point.js';
import type { Side } from './side.js';

/** One price of a book. */
export interface PriceLevel {
  /** Per contract, in micro-dollars. */
  readonly priceUsdMicros: bigint;
  /** Contracts at that price, in hundredths. */
  readonly count: bigint;
}

/** Bids for yes and for no in a market, the best price first. */
export interface Book {
  readonly yesBids: readonly PriceLevel[];
  readonly noBids: readonly PriceLevel[];
}

/** Returns the bids for contracts of a side, the best price first. */
export function bidsFor(book: Book, side: Side): readonly PriceLevel[] {
  return side === 'yes' ? book.yesBids : book.noBids;
}

/**
 * Returns the asks for contracts of a side, the best price first. A bid of q for the other side sells this one at 1 −
 * q.
 */
export function asksFor(book: Book, side: Side): readonly PriceLevel[] {
  return bidsFor(book, side === 'yes' ? 'no' : 'yes').map(({ priceUsdMicros, count }) => ({
    priceUsdMicros: DOLLAR_USD_MICROS - priceUsdMicros,
    count,
  }));
}
