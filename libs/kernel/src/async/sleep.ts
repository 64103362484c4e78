import { type Scheduler, systemScheduler } from '../scheduler.js';

/** Waits `ms` milliseconds. @throws Error (the signal's reason) when the signal ends the wait */
export async function sleep(ms: number, signal?: AbortSignal, scheduler: Scheduler = systemScheduler): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abandon = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = scheduler.after(ms, () => {
      signal?.removeEventListener('abort', abandon);
      resolve();
    });
    signal?.addEventListener('abort', abandon, { once: true });
  });
}
