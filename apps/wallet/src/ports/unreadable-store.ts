/** A transaction that could not be read for a reason that stays. */
export interface UnreadableTransaction {
  readonly signature: string;
  readonly slot: number;
}

/** The store of transactions that the readers of accounts have passed unread. A claim is a lease. */
export interface UnreadableStore {
  /** Stores transactions, each once. @returns signatures of those that were not stored before */
  note(transactions: readonly UnreadableTransaction[]): Promise<string[]>;
  /** Takes transactions whose retry is due, the longest due first, and schedules the retry after it. */
  claim(limit: number): Promise<string[]>;
  /** Removes transactions that were read. */
  remove(signatures: readonly string[]): Promise<void>;
}
