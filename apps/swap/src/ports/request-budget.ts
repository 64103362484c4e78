/**
 * The longest pauses, in milliseconds: the aggregator counts in a window of a minute, and a signed transaction lives no
 * longer than that, so that it cannot rest for long.
 */
export const LONGEST_PAUSE_MS = { ask: 60_000, execute: 5_000 } as const;

/** How often the aggregator may be asked, shared by all replicas of the service. */
export interface RequestBudget {
  /** Takes one request out of it. @throws AppError SERVICE_UNAVAILABLE when none is left for longer than one can wait */
  take(): Promise<void>;
  /** Whether executions may go out now. */
  mayExecute(): Promise<boolean>;
  /** The aggregator wants to be left alone for so long; at most as long as pauses are. */
  pause(what: 'ask' | 'execute', ms: number): Promise<void>;
}
