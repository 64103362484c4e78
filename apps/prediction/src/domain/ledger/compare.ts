/** A figure of the ledger, the same figure at its source, and how much of the difference operations under way explain. */
export interface Comparison {
  /** treasury_usdc, exchange_cash, or position:<ticker>. */
  readonly subject: string;
  readonly ledgerAmount: bigint;
  readonly externalAmount: bigint;
  /** What of the difference operations under way explain. */
  readonly inFlightAmount: bigint;
  readonly note: string;
}

/** By how much operations under way may have changed the source before the ledger: the least and the most. */
export interface InFlightRange {
  readonly least: bigint;
  readonly most: bigint;
}

/** What of a difference lies within the range that is in flight. */
export function explainedOf(difference: bigint, { least, most }: InFlightRange): bigint {
  if (difference < least) return least;
  return difference > most ? most : difference;
}

/** The difference that nothing explains; what the source has more is positive. */
export function unexplainedOf({ ledgerAmount, externalAmount, inFlightAmount }: Comparison): bigint {
  return externalAmount - ledgerAmount - inFlightAmount;
}

/** What two comparisons, one after the other, both could not explain: the smaller, when they point the same way. */
export function lasting(before: bigint, now: bigint): bigint {
  if (before > 0n && now > 0n) return before < now ? before : now;
  if (before < 0n && now < 0n) return before > now ? before : now;
  return 0n;
}
