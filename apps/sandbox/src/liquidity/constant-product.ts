import type { UnitPrice } from '../market/pair.js';
import type { Sides } from './cpmm-layout.js';

const SKEW_PARTS = 1_000_000n;
const PARTS_PER_PERCENT = 10_000;

/** LP units that the program keeps from the first depositor: no account holds them. */
export const LOCKED_LP = 100n;

/** Returns the integer square root, rounded down. */
export function integerSqrt(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/**
 * Moves reserves to a price and keeps their product, which rounding never lets fall. `skewPercent` is how far the pool's
 * price of token 0 in token 1 stands above the two prices. Undefined when a side would be empty.
 */
export function reservesAtPrice(
  [reserve0, reserve1]: Sides<bigint>,
  [price0, price1]: Sides<UnitPrice>,
  skewPercent: number,
): Sides<bigint> | undefined {
  const product = reserve0 * reserve1;
  const skew = SKEW_PARTS + BigInt(Math.round(skewPercent * PARTS_PER_PERCENT));
  const over = product * price1.over * price0.under * SKEW_PARTS;
  const under = price1.under * price0.over * skew;
  const moved0 = integerSqrt(over / under);
  if (moved0 === 0n) return undefined;
  return [moved0, (product + moved0 - 1n) / moved0];
}
