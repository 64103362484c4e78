/** How often the aggregator may be asked, shared by all copies of the service. */
export interface Allowance {
  /** Takes one question out of it. @throws AppError SERVICE_UNAVAILABLE when none is left for longer than one can wait */
  take(): Promise<void>;
  /** Whether executions may go out now. */
  mayExecute(): Promise<boolean>;
  /** The aggregator wants to be left alone for so long. */
  pause(what: 'ask' | 'execute', ms: number): Promise<void>;
}
