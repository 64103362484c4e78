/**
 * The longest pauses, in milliseconds: the aggregator counts in a window of a minute, and a signed transaction lives no
 * longer than that, so that it cannot rest for long.
 */
export const LONGEST_PAUSE_MS = { ask: 60_000, execute: 5_000 } as const;

/** An agent that the aggregator is asked for, and what for. */
export interface Caller {
  /** UUID. */
  readonly agentId: string;
  /** Whether the trade is to be carried out. Real trades come before dry runs. */
  readonly isReal: boolean;
}

/** Requests that a caller needs. */
export interface RequestClaim extends Caller {
  /** Number of requests: all of them are taken at once, or none. */
  readonly requests: number;
}

/**
 * Rate budget of requests to the aggregator, shared by all replicas of the service. Agents share it in turns: dry runs
 * have at most half of it, and its last quarter is for those that asked the least.
 */
export interface RequestBudget {
  /**
   * Takes requests out of it.
   * @throws AppError SERVICE_UNAVAILABLE when too few are left for longer than one can wait
   */
  take(claim: RequestClaim): Promise<void>;
  /** Returns whether executions may go out now. */
  mayExecute(): Promise<boolean>;
  /** Pauses requests for as long as the aggregator asks; at most as long as pauses are. */
  pause(what: 'ask' | 'execute', ms: number): Promise<void>;
}
