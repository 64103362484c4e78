/** A source of pauses and time-outs, which tests advance. It measures durations; `Clock` returns the date. */
export interface Scheduler {
  /** Returns the milliseconds since some fixed moment. Changes of the machine's clock do not affect them. */
  nowMs(): number;
  /**
   * Runs work once, after `ms` milliseconds; soon for zero or less.
   * @returns a function that cancels it, without effect once it ran
   */
  after(ms: number, work: () => void): () => void;
}

/** The machine's time. */
export const systemScheduler: Scheduler = {
  nowMs: () => performance.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, Math.max(ms, 0));
    return () => clearTimeout(timer);
  },
};
