/** An event that could not be read. */
interface UnprocessableEventEntry {
  readonly eventId: string;
  readonly agentId: string;
  readonly reason: string;
  readonly recordedAtMs: number;
}

export interface UnprocessableEventPage {
  readonly events: readonly UnprocessableEventEntry[];
  /** Number of all events, those on the page included. */
  readonly total: number;
}

/** Reads the events that could not be read. @throws AppError SERVICE_UNAVAILABLE */
export interface UnprocessableEventStore {
  /** Returns the latest ones first. */
  latest(limit: number): Promise<UnprocessableEventPage>;
}
