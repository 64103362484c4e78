/** A place in the chain of an agent: the number of an event, or 0 for the place before the first. */
export interface ChainPlace {
  readonly agentId: string;
  readonly sequence: number;
}

/** An event of an agent, as those learn of it who follow the agent. */
export interface Change extends ChainPlace {
  /** Position in the log. */
  readonly position: number;
  readonly eventId: string;
  readonly payload: Uint8Array;
}

/** Events after a place in a chain, or the mere end of the log. */
export interface FoundChanges {
  /** Events in the log. */
  readonly position: number;
  /** Place of the agents' latest event; undefined before the first. */
  readonly latest: ChainPlace | undefined;
  /** In the order of the log; undefined where more has happened than was asked for. */
  readonly changes: readonly Change[] | undefined;
}

/** Events after a position of the log. */
export interface FollowedChanges {
  /** Position that was read to. It lies before the one asked for where the log has lost its end. */
  readonly position: number;
  readonly changes: readonly Change[];
  readonly hasMore: boolean;
}

/** The log, read by those who follow agents. @throws AppError SERVICE_UNAVAILABLE */
export interface ChangeStore {
  /**
   * Finds what happened to agents after a place in the chain of one of them, and the end of the log, at one moment.
   * @param after undefined for the end
   * @param atMost changes, of each agent and of all
   */
  find(agentIds: readonly string[], after: ChainPlace | undefined, atMost: number): Promise<FoundChanges>;
  /** Reads a page of the log, and returns the events of the agents. Which agents these are does not move the page's end. */
  follow(agentIds: readonly string[], page: LogPage): Promise<FollowedChanges>;
}

/** A part of the log, of everyone's events. It has at least one event where the log goes on. */
export interface LogPage {
  readonly afterPosition: number;
  /** Last position; undefined for no other end than the limits. */
  readonly untilPosition: number | undefined;
  readonly maxEvents: number;
  /** Size of the payloads after which no further event is added. */
  readonly maxBytes: number;
}
