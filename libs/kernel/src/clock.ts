/** Source of the time, so that tests can set it. */
export interface Clock {
  /** Returns the time in Unix milliseconds. */
  nowMs(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { nowMs: () => Date.now() };
