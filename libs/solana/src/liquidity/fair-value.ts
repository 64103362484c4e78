import { USD_DECIMALS, usdMicros, type UsdMicros, type UsdPrice } from '@agent-wallet/kernel';
import type { CpmmPool } from './read-cpmm-pool.js';

/**
 * Returns the value of liquidity tokens in micro-dollars, rounded down: what they would bring if the pool stood at these
 * prices. One swap can inflate the sum of the reserves at the pool's own price, but moves the product of the reserves by
 * its fee only: 2·√(R₀·R₁·p₀·p₁)·liquidity/supply.
 * @throws RangeError when the value is not an int64
 */
export function fairValue(
  liquidity: bigint,
  { reserves, lpSupply, sides }: Pick<CpmmPool, 'reserves' | 'lpSupply' | 'sides'>,
  prices: readonly [UsdPrice, UsdPrice],
): UsdMicros {
  const product = liquidity * liquidity * reserves[0] * reserves[1] * prices[0].digits * prices[1].digits;
  const shift = sides[0].decimals + sides[1].decimals + prices[0].scale + prices[1].scale;
  const squared = (4n * product * 10n ** BigInt(2 * USD_DECIMALS)) / (lpSupply * lpSupply * 10n ** BigInt(shift));
  return usdMicros(squareRoot(squared));
}

/** Returns the whole part of a square root, by Newton's method from above. */
function squareRoot(square: bigint): bigint {
  if (square < 2n) return square;
  let root = 1n << BigInt(Math.ceil(square.toString(2).length / 2));
  for (;;) {
    const next = (root + square / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
