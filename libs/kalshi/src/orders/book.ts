/** One price of a book. */
export interface PriceLevel {
  /** Per contract, in micro-dollars. */
  readonly priceUsdMicros: bigint;
  /** Contracts at that price, in hundredths. */
  readonly count: bigint;
}

/** What is bid for yes and for no in a market, the best price first. */
export interface Book {
  readonly yesBids: readonly PriceLevel[];
  readonly noBids: readonly PriceLevel[];
}
