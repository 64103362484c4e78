/**
 * Remembers what this process has written and not acted upon yet: whoever finds the same in a row that somebody else
 * wrote, or that was acted upon, cannot take it from here.
 */
export class Once {
  readonly #untilMs = new Map<string, number>();

  /** @param keepMs how long something is remembered; shorter than a lease, where another owner would leave no trace */
  constructor(private readonly keepMs: number) {}

  remember(key: string): void {
    const nowMs = performance.now();
    for (const [old, untilMs] of this.#untilMs) {
      if (untilMs > nowMs) break;
      this.#untilMs.delete(old);
    }
    this.#untilMs.delete(key);
    this.#untilMs.set(key, nowMs + this.keepMs);
  }

  /** Whether it was remembered; from here on it is not. */
  take(key: string): boolean {
    const untilMs = this.#untilMs.get(key);
    this.#untilMs.delete(key);
    return untilMs !== undefined && untilMs > performance.now();
  }
}
