import type { Clock } from '@agent-wallet/kernel';

interface Reading<T> {
  readonly atMs: number;
  readonly value: Promise<T>;
}

/** What was read a short while ago: those who ask together share one call, and a failure is not remembered. */
export class Remembered<T> {
  #kept: Reading<T> | undefined;

  constructor(
    private readonly read: () => Promise<T>,
    private readonly options: { readonly clock: Clock; readonly maxAgeMs: number },
  ) {}

  /** @throws what reading throws */
  get(): Promise<T> {
    const { clock, maxAgeMs } = this.options;
    const atMs = clock.nowMs();
    // A clock that was set back must not keep it alive.
    if (this.#kept && Math.abs(atMs - this.#kept.atMs) <= maxAgeMs) return this.#kept.value;
    const reading: Reading<T> = { atMs, value: this.read() };
    this.#kept = reading;
    reading.value.catch(() => {
      if (this.#kept === reading) this.#kept = undefined;
    });
    return reading.value;
  }
}
