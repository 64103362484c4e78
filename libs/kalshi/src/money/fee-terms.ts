/** How the exchange charges who takes. Makers' fees do not concern us: our orders never rest. */
export interface FeeTerms {
  /** What one contract costs a taker, divided by P·(1−P), in millionths: 0.07 times a multiplier. */
  readonly takerRatePpm: bigint;
}
