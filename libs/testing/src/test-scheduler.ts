import type { Scheduler } from '@agent-wallet/kernel';

/** Work that was put off. */
interface Due {
  readonly atMs: number;
  readonly work: () => void;
}

/** Virtual time: it passes only when a test advances it. */
export class TestScheduler implements Scheduler {
  #nowMs = 0;
  #waiting: readonly Due[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  after(ms: number, work: () => void): () => void {
    const due = { atMs: this.#nowMs + Math.max(ms, 0), work };
    this.#waiting = [...this.#waiting, due];
    return () => this.#remove(due);
  }

  /** Returns the number of pauses and time-outs under way. */
  get pending(): number {
    return this.#waiting.length;
  }

  /**
   * Lets `ms` milliseconds pass. Runs what becomes due, the earliest first and each at its moment, and lets the promises
   * that depend on it settle before the next.
   */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await settled();
    for (let due = this.#next(untilMs); due; due = this.#next(untilMs)) {
      this.#remove(due);
      this.#nowMs = due.atMs;
      due.work();
      await settled();
    }
    this.#nowMs = untilMs;
  }

  /** Returns the earliest work that is due by then; of several at one moment the one that was put off first. */
  #next(untilMs: number): Due | undefined {
    return this.#waiting
      .filter(({ atMs }) => atMs <= untilMs)
      .reduce<Due | undefined>((first, each) => (first && first.atMs <= each.atMs ? first : each), undefined);
  }

  #remove(due: Due): void {
    this.#waiting = this.#waiting.filter((each) => each !== due);
  }
}

/** Resolves once no promise is left that can settle by itself: Node runs an immediate after all of them. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
