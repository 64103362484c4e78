import type { Branded } from './brand.js';

/** An amount of one token in its smallest unit, 0 … 2^64−1 (an SPL amount is a u64). */
export type BaseUnits = Branded<'BaseUnits'>;

export const MAX_BASE_UNITS = 2n ** 64n - 1n;

/** Decimals of the native coin: 1 SOL is 10^9 lamports. */
export const SOL_DECIMALS = 9;

/**
 * Takes a bigint as an amount of base units.
 * @throws RangeError when it is no u64
 */
export function baseUnits(putative: bigint): BaseUnits {
  if (putative < 0n || putative > MAX_BASE_UNITS) throw new RangeError(`not an amount of base units: ${putative}`);
  return putative as BaseUnits;
}
