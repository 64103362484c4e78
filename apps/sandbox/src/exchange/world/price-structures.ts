import type { PriceRange } from '../engine/exchange.js';
import type { PriceStructure } from './records.js';

const range = (startMicros: bigint, endMicros: bigint, stepMicros: bigint): PriceRange => ({
  startMicros,
  endMicros,
  stepMicros,
});

/** Which prices each structure allows. */
export const PRICE_RANGES: Readonly<Record<PriceStructure, readonly PriceRange[]>> = {
  linear_cent: [range(0n, 1_000_000n, 10_000n)],
  deci_cent: [range(0n, 1_000_000n, 1_000n)],
  tapered_deci_cent: [
    range(0n, 100_000n, 1_000n),
    range(100_000n, 900_000n, 10_000n),
    range(900_000n, 1_000_000n, 1_000n),
  ],
};
