import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits.
 * @param event ends the wait when it happens; it never rejects
 * @returns whether the event ended the wait
 * @throws Error (the signal's reason) when the signal ends the wait
 */
export async function pause(ms: number, signal: AbortSignal, event?: Promise<unknown>): Promise<boolean> {
  const woken = new AbortController();
  void event?.then(() => woken.abort());
  try {
    await sleep(ms, undefined, { signal: event ? AbortSignal.any([signal, woken.signal]) : signal });
    return false;
  } catch {
    signal.throwIfAborted();
    return true;
  }
}
