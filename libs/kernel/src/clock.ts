/** Where the time comes from, so that tests can set it. */
export interface Clock {
  /** Unix milliseconds. */
  nowMs(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { nowMs: () => Date.now() };
