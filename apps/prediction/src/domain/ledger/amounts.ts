/** A whole contract that comes true pays a dollar. */
export const DOLLAR_USD_MICROS = 1_000_000n;

/** Contracts are counted in hundredths. */
const HUNDREDTHS = 100n;

/** What contracts are worth at a price, rounded up: what an agent pays. */
export function costUp(priceUsdMicros: bigint, count: bigint): bigint {
  return (priceUsdMicros * count + HUNDREDTHS - 1n) / HUNDREDTHS;
}

/** What contracts are worth at a price, rounded down: what an agent gets. */
export function worthDown(priceUsdMicros: bigint, count: bigint): bigint {
  return (priceUsdMicros * count) / HUNDREDTHS;
}

/** What pairs of a yes and a no are worth: a dollar each, exactly. */
export function worthOfPairs(count: bigint): bigint {
  return worthDown(DOLLAR_USD_MICROS, count);
}

/** The part of a fee that an agent bears. Exchange fees are never negative; if one is, the operator keeps the gain. */
export function borneFee(feeUsdMicros: bigint): bigint {
  return feeUsdMicros > 0n ? feeUsdMicros : 0n;
}

/** The smaller of two. */
export function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
