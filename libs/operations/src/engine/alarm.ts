import { sleep } from '@agent-wallet/kernel';

/** Pauses that something may end early. What rings while nobody pauses ends the next pause. */
export class Alarm {
  #isDue = false;
  #ring: (() => void) | undefined;

  /** Ends the pause. */
  ring(): void {
    this.#isDue = true;
    this.#ring?.();
  }

  /** Waits, at most so long. @throws Error (the signal's reason) when the signal ends the wait */
  async pause(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isDue) {
      const ringing = new AbortController();
      this.#ring = () => ringing.abort();
      await sleep(ms, AbortSignal.any([signal, ringing.signal])).catch(() => signal.throwIfAborted());
      this.#ring = undefined;
    }
    this.#isDue = false;
    signal.throwIfAborted();
  }
}
