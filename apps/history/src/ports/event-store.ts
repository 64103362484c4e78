import type { KeepPlace } from '@agent-wallet/events';
import type { SettledValue, TransactionRecord } from '../domain/transaction-record.js';

/** The part of an event that changes what agents read. */
export interface ReadFacts {
  /** The state it gives to what agents see; undefined for what is recorded but never shown. */
  readonly record: TransactionRecord | undefined;
  /** The value that it settles; undefined for events of any other kind. */
  readonly settled?: SettledValue | undefined;
}

/** An event that was read. */
export interface ReadableEvent extends ReadFacts {
  readonly eventId: string;
  readonly agentId: string;
  /** Unix milliseconds. */
  readonly occurredAtMs: number;
  /** The event as it was published; the record is these bytes. */
  readonly payload: Uint8Array;
}

/** An event that could not be read, and why. */
export interface UnprocessableEvent {
  readonly eventId: string;
  readonly agentId: string;
  readonly payload: Uint8Array;
  readonly error: string;
}

/** The audit log and what is made from it. */
export interface EventStore {
  /**
   * Appends events in their order and brings their records up to date, all or nothing. An event that is there already
   * changes nothing; a record never goes back to a lower revision. One that is dropped leaves what agents read, until
   * a higher revision brings it back.
   * @param keepPlace called in the same transaction
   */
  append(
    events: readonly ReadableEvent[],
    unprocessable: readonly UnprocessableEvent[],
    keepPlace?: KeepPlace,
  ): Promise<void>;
}
