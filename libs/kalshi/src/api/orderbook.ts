import { z } from 'zod';
import { DOLLAR_USD_MICROS } from '../money/fixed-point.js';
import type { Book, PriceLevel } from '../orders/book.js';
import { contracts, dollars, list } from './fields.js';

const level = z
  .tuple([dollars.refine((price) => price <= DOLLAR_USD_MICROS, 'must be at most a dollar'), contracts])
  .transform(([priceUsdMicros, count]) => ({ priceUsdMicros, count }));

/** Response of `GET /markets/{ticker}/orderbook`: bids only, in no documented order. */
export const orderbookResponse = z
  .object({ orderbook_fp: z.object({ yes_dollars: list(level), no_dollars: list(level) }) })
  .transform(({ orderbook_fp: { yes_dollars: yes, no_dollars: no } }): Book => ({
    yesBids: best(yes),
    noBids: best(no),
  }));

function best(levels: readonly PriceLevel[]): PriceLevel[] {
  const real = levels.filter(({ count, priceUsdMicros: p }) => count > 0n && p > 0n && p < DOLLAR_USD_MICROS);
  return real.sort((a, b) => (a.priceUsdMicros < b.priceUsdMicros ? 1 : -1));
}
