/** How the exchange charges trades of a market. Makers' fees do not concern us: our orders never rest. */
export interface FeeTerms {
  /**
   * What a taker pays for one contract, divided by P·(1−P), in millionths: the exchange's 0.07 times the multiplier of
   * the series or event.
   */
  readonly takerRatePpm: bigint;
  /** What the change of the account's balance by one fill is rounded to; a member of the exchange has 100 ($0.0001). */
  readonly balanceStepUsdMicros: bigint;
}
