import { setTimeout as timer } from 'node:timers/promises';

/** Waits. @throws Error (the signal's reason) when the signal ends the wait */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await timer(ms, undefined, { signal });
  } catch {
    throw signal?.reason;
  }
}
