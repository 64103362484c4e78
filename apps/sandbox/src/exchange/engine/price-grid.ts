import { CASH_STEP_MICROS } from './fees.js';
import { DOLLAR_MICROS, type PriceRange } from './market-state.js';

/** Whether this price may be bid or asked: on a market's grid, between nothing and a dollar. */
export function isOnGrid(priceMicros: bigint, ranges: readonly PriceRange[]): boolean {
  if (priceMicros <= 0n || priceMicros >= DOLLAR_MICROS) return false;
  return ranges.some(
    ({ startMicros, endMicros, stepMicros }) =>
      priceMicros >= startMicros && priceMicros <= endMicros && (priceMicros - startMicros) % stepMicros === 0n,
  );
}

/** Whether a grid keeps money exact: a hundredth of a contract costs whole micro-dollars. */
export function isExactGrid(ranges: readonly PriceRange[]): boolean {
  return ranges.every(
    ({ startMicros, endMicros, stepMicros }) =>
      stepMicros > 0n &&
      startMicros <= endMicros &&
      [startMicros, endMicros, stepMicros].every((micros) => micros % CASH_STEP_MICROS === 0n),
  );
}
