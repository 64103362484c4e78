/** Prices that a market takes: multiples of the step, counted from the start, up to the end. Micro-dollars. */
export interface PriceRange {
  readonly startUsdMicros: bigint;
  readonly endUsdMicros: bigint;
  readonly stepUsdMicros: bigint;
}
