import { setTimeout as sleep } from 'node:timers/promises';

/** Waits. @throws Error (the signal's reason) when the signal ends the wait */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    throw signal.reason;
  }
}
