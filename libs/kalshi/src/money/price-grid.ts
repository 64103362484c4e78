import type { Rounding } from '@agent-wallet/kernel';
import { DOLLAR_USD_MICROS } from './fixed-point.js';

/** Prices that a market takes: the start and every step on from it, up to the end. Micro-dollars. */
export interface PriceRange {
  readonly startUsdMicros: bigint;
  readonly endUsdMicros: bigint;
  readonly stepUsdMicros: bigint;
}

/**
 * Returns the next valid price of the market, above or below; a valid price is unchanged. Prices are those of yes, as
 * in orders. A bid is rounded down and an ask up, so that no agent pays more or gets less than stated.
 * @returns undefined when there is none between 0 and 1 dollar, neither included
 */
export function onGrid(priceUsdMicros: bigint, ranges: readonly PriceRange[], rounding: Rounding): bigint | undefined {
  const isPrice = (price: bigint | undefined) => price !== undefined && price > 0n && price < DOLLAR_USD_MICROS;
  const next = rounding === 'up' ? atOrAbove : atOrBelow;
  const prices = ranges.map((range) => next(priceUsdMicros, range)).filter(isPrice) as bigint[];
  return prices.reduce<bigint | undefined>((best, price) => {
    const isNearer = best === undefined || (rounding === 'up' ? price < best : price > best);
    return isNearer ? price : best;
  }, undefined);
}

function atOrBelow(price: bigint, { startUsdMicros: start, endUsdMicros: end, stepUsdMicros: step }: PriceRange) {
  // A whole dollar is not a price, though a range may end there.
  const last = end < DOLLAR_USD_MICROS ? end : DOLLAR_USD_MICROS - 1n;
  const bound = price < last ? price : last;
  return bound < start ? undefined : bound - ((bound - start) % step);
}

function atOrAbove(price: bigint, { startUsdMicros: start, endUsdMicros: end, stepUsdMicros: step }: PriceRange) {
  // A price of 0 is none: where the range begins there, its first price is one step on.
  const first = start === 0n ? step : start;
  const found = price <= first ? first : price + ((step - ((price - start) % step)) % step);
  return found > end ? undefined : found;
}
