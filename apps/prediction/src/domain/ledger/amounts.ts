/** A whole contract that comes true pays a dollar. */
export const DOLLAR_USD_MICROS = 1_000_000n;

/** Contracts are counted in hundredths. */
const HUNDREDTHS = 100n;

/** Returns the worth of contracts at a price, rounded up: an agent pays this. */
export function costUp(priceUsdMicros: bigint, count: bigint): bigint {
  return (priceUsdMicros * count + HUNDREDTHS - 1n) / HUNDREDTHS;
}

/** Returns the worth of contracts at a price, rounded down: an agent gets this. */
export function worthDown(priceUsdMicros: bigint, count: bigint): bigint {
  return (priceUsdMicros * count) / HUNDREDTHS;
}

/** Returns the worth of pairs of a yes and a no: exactly a dollar each. */
export function worthOfPairs(count: bigint): bigint {
  return worthDown(DOLLAR_USD_MICROS, count);
}

/**
 * Returns the part of a fee that an agent bears. Exchange fees are never negative; if one is, the operator keeps the
 * gain.
 */
export function borneFee(feeUsdMicros: bigint): bigint {
  return feeUsdMicros > 0n ? feeUsdMicros : 0n;
}

/** Returns the smaller of two amounts. */
export function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
