import { type Scheduler, systemScheduler } from '../scheduler.js';

/**
 * Resolves to the result of the work, unless it takes longer than `timeoutMs` milliseconds. The work itself goes on, and
 * its later result is ignored.
 * @param error for taking longer; without it a DOMException `TimeoutError`, as `isTimeout` knows it
 * @throws that error; what the work throws
 */
export async function withTimeout<T>(
  timeoutMs: number,
  work: Promise<T>,
  error?: () => Error,
  scheduler: Scheduler = systemScheduler,
): Promise<T> {
  let cancel: (() => void) | undefined;
  const late = new Promise<never>((_, reject) => {
    const timeout = () => new DOMException(`no answer within ${Math.round(timeoutMs)} ms`, 'TimeoutError');
    cancel = scheduler.after(timeoutMs, () => reject((error ?? timeout)()));
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel?.();
  }
}

/** Waits until work has ended, but not longer than `limitMs` milliseconds. @throws what the work throws */
export async function waitAtMost(
  limitMs: number,
  work: Promise<unknown>,
  scheduler: Scheduler = systemScheduler,
): Promise<void> {
  let cancel: (() => void) | undefined;
  const late = new Promise<void>((resolve) => {
    cancel = scheduler.after(limitMs, resolve);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    cancel?.();
  }
}
