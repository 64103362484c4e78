/** A property that the records of a group share. */
export type SpendingKey = 'day' | 'action' | 'recipient' | 'token';

/** The records to sum. */
export interface SpendingQuery {
  readonly agentId: string;
  /** Created at this instant or later, in Unix milliseconds. */
  readonly fromMs: number;
  /** Created before this instant, in Unix milliseconds. */
  readonly toMs: number;
  readonly by: SpendingKey;
  /** Groups to return by themselves. */
  readonly maxGroups: number;
}

/** Records with the same key. */
export interface SpendingGroup {
  /** Undefined for the groups beyond the largest, together. */
  readonly key: string | undefined;
  /** Sum of the known values, in micro-dollars. */
  readonly usdMicros: bigint;
  readonly count: number;
  /** Records whose value is not known. */
  readonly unknownCount: number;
}

/** Sums of the records that agents read. @throws AppError SERVICE_UNAVAILABLE */
export interface SpendingStore {
  /** Returns the groups of confirmed spending, the largest first; behind them all others as one. */
  sum(query: SpendingQuery): Promise<readonly SpendingGroup[]>;
}
