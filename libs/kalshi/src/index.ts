export type { FeeTerms } from './money/fee-terms.js';
export type { PriceRange } from './money/price-grid.js';
export type { Side } from './orders/side.js';
export type { Book, PriceLevel } from './orders/book.js';
