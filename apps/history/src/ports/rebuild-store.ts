import type { EventRecord } from '@agent-wallet/events';
import type { ReadFacts } from './event-store.js';

/** Facts of an event, as `readEvent` returns them. */
export type ReadFactsOf = (event: EventRecord) => ReadFacts;

/** A place where what agents read is not what the log says. */
export interface Difference {
  /** The table. */
  readonly table: string;
  /** The row's id, or the list's agent and action. */
  readonly row: string;
  readonly problem: string;
}

/** Makes again what is made of the log, beside what agents read meanwhile. */
export interface RebuildStore {
  /**
   * Makes the tables, or finds those that an interrupted rebuild has left; `isFresh` throws those away.
   * @returns how many events are in them, and how many there are
   * @throws Error while another rebuild runs
   */
  open(isFresh: boolean): Promise<{ readonly taken: number; readonly of: number }>;
  /** Takes the next events, all or none. @returns how many there were */
  take(read: ReadFactsOf): Promise<number>;
  /** Takes what is left and puts the tables in the place of those that agents read, all at once. */
  swap(read: ReadFactsOf): Promise<void>;
  /** Takes what is left and compares. Nothing that agents read changes. */
  compare(read: ReadFactsOf): Promise<readonly Difference[]>;
  /** Throws away what was made. */
  discard(): Promise<void>;
  /** Lets another rebuild begin. */
  close(): Promise<void>;
}
