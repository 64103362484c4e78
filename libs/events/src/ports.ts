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
   * Where the stream is in the outbox's own database: moves a batch of the outbox's oldest events there, in one
   * transaction; none while another replica does.
   * @returns whether anything was moved
   */
  readonly moveOutbox?: () => Promise<boolean>;
}

/** The way in: hands events on in order, at least once. */
export interface EventConsumer {
  /**
   * Starts to consume. `handle` must be idempotent by event id; the batch is delivered again until it resolves.
   */
  start(handle: (events: readonly EventRecord[]) => Promise<void>): void;
  /** Looks for new events at once. */
  wake(): void;
  /** Lets the batch under way finish, then ends. */
  stop(): Promise<void>;
}
