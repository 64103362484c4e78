import type { TransactionRecord } from '../domain/transaction-record.js';

/** Which records of an agent to show. */
export interface PageQuery {
  readonly agentId: string;
  /** Only this action; undefined for all. */
  readonly action: string | undefined;
  readonly limit: number;
  readonly offset: number;
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
  /** One record of this agent; undefined when the agent has none of that id. */
  find(agentId: string, id: string): Promise<TransactionRecord | undefined>;
}
