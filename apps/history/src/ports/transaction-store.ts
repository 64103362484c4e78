import type { ValuedRecord, TransactionStatus } from '../domain/transaction-record.js';

/** The records of an agent to show. */
export interface PageQuery {
  readonly agentId: string;
  /** The action to show; undefined for all. */
  readonly action: string | undefined;
  readonly limit: number;
  /** Records to skip; 0 with `after`. */
  readonly offset: number;
  /** The page begins after this record; undefined for the newest. */
  readonly after?: Place | undefined;
  /** Conditions on the records; undefined for all of the list. */
  readonly filter?: TransactionFilter | undefined;
}

/** Conditions that a record meets, all of them. */
export interface TransactionFilter {
  /** Created at this instant or later, in Unix milliseconds. */
  readonly fromMs?: number | undefined;
  /** Created before this instant, in Unix milliseconds. */
  readonly toMs?: number | undefined;
  /** The shown status. */
  readonly status?: TransactionStatus | undefined;
  /** Address; not empty. */
  readonly recipient?: string | undefined;
  /** Texts that its search text contains, in the same form; undefined or at least one. */
  readonly words?: readonly string[] | undefined;
}

/** The place of a record in time. */
export interface Place {
  readonly createdAtMs: number;
  /** UUID. */
  readonly id: string;
}

/** A page, and how many records there were in all at that instant. */
export interface Page {
  readonly records: readonly ValuedRecord[];
  readonly total: number;
  /** Whether more may match than `total` says, because the store has read only so many. */
  readonly isTotalPartial?: boolean;
  /** The last record that was read, where the store stopped before the page was full. */
  readonly end?: Place | undefined;
}

/** Store of the records that agents read. @throws AppError SERVICE_UNAVAILABLE */
export interface TransactionStore {
  /**
   * Returns a page, the newest first; records of the same millisecond in the order of their IDs. With a status, words
   * or a recipient, reads a bounded number of records, so that a page may have less than `limit` and an `end`.
   */
  page(query: PageQuery): Promise<Page>;
  /** Returns these records as far as the agent has them, in no order. */
  all(agentId: string, ids: readonly string[]): Promise<readonly ValuedRecord[]>;
  /** Counts the records of a list; undefined for the list of all actions. */
  total(agentId: string, action: string | undefined): Promise<number>;
  /** Returns one record of this agent; undefined when the agent has none with that ID. */
  find(agentId: string, id: string): Promise<ValuedRecord | undefined>;
}
