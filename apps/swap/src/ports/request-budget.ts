/**
 * The longest pauses, in milliseconds: the aggregator counts in a window of a minute, and a signed transaction lives no
 * longer than that, so that it cannot rest for long.
 */
export const LONGEST_PAUSE_MS = { ask: 60_000, execute: 5_000 } as const;

/** Rate budget of requests to the aggregator, shared by all replicas of the service. */
export interface RequestBudget {
  /** Takes one request out of it. @throws AppError SERVICE_UNAVAILABLE when none is left for longer than one can wait */
  take(): Promise<void>;
  /** Returns whether executions may go out now. */
  mayExecute(): Promise<boolean>;
  /** Pauses requests for as long as the aggregator asks; at most as long as pauses are. */
  pause(what: 'ask' | 'execute', ms: number): Promise<void>;
}
