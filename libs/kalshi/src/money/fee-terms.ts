/** The exchange's fees for takers. Makers' fees are irrelevant: our orders never rest. */
export interface FeeTerms {
  /** A taker's fee for one contract, divided by P·(1−P), in millionths: 0.07 times a multiplier. */
  readonly takerRatePpm: bigint;
}
