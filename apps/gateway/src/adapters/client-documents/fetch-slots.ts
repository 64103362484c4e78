import { ClientRefused } from '../../ports/client-documents.js';

const BUSY = 'The authorization server is busy with other client documents. Try again.';

/** Slots for fetches under way, and a queue of bounded length for the next ones. */
export class FetchSlots {
  #free: number;
  /** A set keeps the order of insertion. */
  readonly #waiting = new Set<() => void>();

  constructor(
    atOnce: number,
    private readonly maxWaiting: number,
  ) {
    this.#free = atOnce;
  }

  /** Runs work in a slot. @throws ClientRefused when the queue is full, or its turn does not come within the time */
  async run<T>(withinMs: number, work: () => Promise<T>): Promise<T> {
    await this.#take(withinMs);
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  async #take(withinMs: number): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    if (this.#waiting.size >= this.maxWaiting) throw new Busy(BUSY);
    await new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        this.#waiting.delete(start);
        reject(new Busy(BUSY));
      };
      const timer = setTimeout(giveUp, withinMs);
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiting.add(start);
    });
  }

  /** Hands the slot to the first in the queue. */
  #release(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

/** A refusal for lack of a slot, which says nothing about the client. */
export class Busy extends ClientRefused {}
