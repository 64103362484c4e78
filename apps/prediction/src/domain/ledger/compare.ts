/** A figure of the ledger, the same figure at its source, and how much of the difference operations under way explain. */
export interface Comparison {
  /** treasury_usdc, exchange_cash, or position:<ticker>. */
  readonly subject: string;
  readonly ledgerAmount: bigint;
  readonly externalAmount: bigint;
  /** The part of the difference that operations under way explain. */
  readonly inFlightAmount: bigint;
  readonly note: string;
}

/** By how much operations under way may have changed the source before the ledger: the least and the most. */
export interface InFlightRange {
  readonly least: bigint;
  readonly most: bigint;
}

/** Returns the difference, limited to the range that is in flight. */
export function explainedOf(difference: bigint, { least, most }: InFlightRange): bigint {
  if (difference < least) return least;
  return difference > most ? most : difference;
}

/** Returns the difference that nothing explains; a surplus at the source is positive. */
export function unexplainedOf({ ledgerAmount, externalAmount, inFlightAmount }: Comparison): bigint {
  return externalAmount - ledgerAmount - inFlightAmount;
}

/** Returns the part that two comparisons in a row both could not explain: the smaller, when they point the same way. */
export function lasting(before: bigint, now: bigint): bigint {
  if (before > 0n && now > 0n) return before < now ? before : now;
  if (before < 0n && now < 0n) return before > now ? before : now;
  return 0n;
}
