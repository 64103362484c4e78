import { type Scheduler, systemScheduler } from '../scheduler.js';

/** Waits `ms` milliseconds. @throws Error (the signal's reason) when the signal ends the wait */
export async function sleep(ms: number, signal?: AbortSignal, scheduler: Scheduler = systemScheduler): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const end = () => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = scheduler.after(ms, end);
    signal?.addEventListener('abort', end);
  });
  signal?.throwIfAborted();
}
