import type { Queryable } from '@agent-wallet/platform';

/** An event on its way: what a transport needs to know of it, and its bytes. */
export interface EventRecord {
  /** UUIDv7; consumers deduplicate by it. */
  readonly eventId: string;
  /** Key of the order: events of one agent are delivered in the order they were published. */
  readonly agentId: string;
  /** Serialized agentwallet.audit.v1.AuditEvent. */
  readonly payload: Uint8Array;
}

/** The way out. */
export interface EventPublisher {
  /** Resolves once every event is durably accepted; may deliver one again after a failure. */
  publish(events: readonly EventRecord[]): Promise<void>;
  /**
   * Present if the stream is in the outbox's own database. Moves a batch of the outbox's oldest events there, in one
   * transaction. Moves none while another replica does.
   * @returns whether anything was moved
   */
  readonly moveOutbox?: () => Promise<boolean>;
}

/** Keeps how far a consumer has come, by a statement of a transaction of its own schema. */
export type KeepPlace = (tx: Queryable) => Promise<void>;

/**
 * Handles a batch, and is idempotent by event id.
 * @param keepPlace where it is given, a handler may call it once in the transaction that keeps what it has made of the
 *   batch; otherwise the place is kept afterwards
 */
export type HandleEvents = (events: readonly EventRecord[], keepPlace?: KeepPlace) => Promise<void>;

/** The way in: hands events on in order, at least once. */
export interface EventConsumer {
  /** Starts to consume. A batch is delivered again until it was handled. */
  start(handle: HandleEvents): void;
  /** Looks for new events at once. */
  wake(): void;
  /** Lets the batch under way finish, then ends. */
  stop(): Promise<void>;
}
