/** Source of pauses and time-outs, so that tests can advance them. It measures time that passes; `Clock` tells the date. */
export interface Scheduler {
  /** Returns the milliseconds since some fixed moment. They never go back, whatever is done to the machine's clock. */
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
