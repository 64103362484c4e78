import type { TransactionRecord } from '../domain/transaction-record.js';

/** Which records of an agent to show. */
export interface PageQuery {
  readonly agentId: string;
  /** Only this action; undefined for all. */
  readonly action: string | undefined;
  readonly limit: number;
  /** Records to skip; 0 with `after`. */
  readonly offset: number;
  /** The page begins after this record; undefined for the newest. */
  readonly after?: Place | undefined;
}

/** The place of a record in time. */
export interface Place {
  readonly createdAtMs: number;
  /** UUID. */
  readonly id: string;
}

/** A page, and how many records there were in all at that instant. */
export interface Page {
  readonly records: readonly TransactionRecord[];
  readonly total: number;
}

/** What agents read. @throws AppError SERVICE_UNAVAILABLE */
export interface TransactionStore {
  /** Newest first; records of the same millisecond in the order of their ids. */
  page(query: PageQuery): Promise<Page>;
  /** Those of these records that the agent has, in no order. */
  all(agentId: string, ids: readonly string[]): Promise<readonly TransactionRecord[]>;
  /** How many records a list has; undefined for the list of all actions. */
  total(agentId: string, action: string | undefined): Promise<number>;
  /** One record of this agent; undefined when the agent has none of that id. */
  find(agentId: string, id: string): Promise<TransactionRecord | undefined>;
}
