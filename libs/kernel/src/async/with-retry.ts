import { type Scheduler, systemScheduler } from '../scheduler.js';
import { sleep } from './sleep.js';

/**
 * Does work again after it failed.
 * @param pauseMs returns how many milliseconds to wait after an error, given the number of failures so far; undefined to
 *   give up
 * @throws the error that was abandoned with
 */
export async function withRetry<T>(
  work: () => Promise<T>,
  pauseMs: (error: unknown, failures: number) => number | undefined,
  scheduler: Scheduler = systemScheduler,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      const ms = pauseMs(error, failures);
      if (ms === undefined) throw error;
      await sleep(ms, undefined, scheduler);
    }
  }
}
