import { DOLLAR_USD_MICROS } from '../money/fixed-point.js';
import type { Side } from './side.js';

/** One price of a book. */
export interface PriceLevel {
  /** Per contract, in micro-dollars. */
  readonly priceUsdMicros: bigint;
  /** Contracts at that price, in hundredths. */
  readonly count: bigint;
}

/** What is bid for yes and for no in a market, the best price first. */
export interface Book {
  readonly yesBids: readonly PriceLevel[];
  readonly noBids: readonly PriceLevel[];
}

/** The bids for contracts of a side, the best price first. */
export function bidsFor(book: Book, side: Side): readonly PriceLevel[] {
  return side === 'yes' ? book.yesBids : book.noBids;
}

/** What contracts of a side are sold for, the best price first: who bids q for the other side sells this one at 1 − q. */
export function asksFor(book: Book, side: Side): readonly PriceLevel[] {
  return bidsFor(book, side === 'yes' ? 'no' : 'yes').map(({ priceUsdMicros, count }) => ({
    priceUsdMicros: DOLLAR_USD_MICROS - priceUsdMicros,
    count,
  }));
}
