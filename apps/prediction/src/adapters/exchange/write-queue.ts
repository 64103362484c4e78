import { newId, sleep as pause } from '@agent-wallet/kernel';
import type { Logger } from '@agent-wallet/platform';
import type { Entry, PostgresExchangeQuota } from './postgres-exchange-quota.js';

/** Pauses until the time is over or the signal says that there is something to do. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<unknown>;

/** Dependencies of the queue. */
interface WriteQueueDependencies {
  readonly quota: Pick<PostgresExchangeQuota, 'visit' | 'pause'>;
  readonly logger: Logger;
  /** Timers of the machine when omitted. */
  readonly sleep?: Sleep;
}

/** Whose turn is waited for. */
export interface QueuedOrder {
  readonly operationId: string;
  readonly agentId: string;
  /** Tokens. */
  readonly cost: number;
  /** Place in the queue of an earlier turn that came to nothing: the order gets it again. */
  readonly tag?: string;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
}

/** A turn that has come. */
interface QueueSlot {
  /** Names its place in the queue. */
  readonly tag: string;
}

interface Waiter {
  readonly wanted: QueuedOrder;
  readonly end: (turn: QueueSlot | undefined) => void;
}

/** Another copy may give us a turn while we rest. */
const MAX_REST_MS = 100;

/**
 * The queue of all orders, as this replica takes part in it: while an order waits here it polls the queue
 * as often as turns can come.
 */
export class WriteQueue {
  readonly #copy = newId();
  readonly #waiters = new Map<string, Waiter>();
  #entered: Entry[] = [];
  #gone: string[] = [];
  #rest = new AbortController();
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(private readonly dependencies: WriteQueueDependencies) {}

  /** Waits for an order's turn. @returns undefined when it did not come: the signal, a stop, the database */
  take(wanted: QueuedOrder): Promise<QueueSlot | undefined> {
    const { operationId, agentId, cost, signal } = wanted;
    if (signal.aborted || this.#closed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const leave = () => this.#leave(operationId, waiter);
      const waiter: Waiter = {
        wanted,
        end: (turn) => {
          signal.removeEventListener('abort', leave);
          resolve(turn);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiters.get(operationId)?.end(undefined);
      this.#waiters.set(operationId, waiter);
      // It may have left a moment ago.
      this.#gone = this.#gone.filter((id) => id !== operationId);
      this.#entered.push({ operationId, agentId, cost, tag: wanted.tag ?? null });
      this.#wake();
    });
  }

  /** Pauses all orders for a moment after the exchange rate-limited one. */
  async pause(): Promise<void> {
    await this.dependencies.quota.pause('write');
  }

  /** Closes the queue: no order gets a slot here any more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#endAll();
    this.#rest.abort();
    await this.#running;
  }

  #leave(operationId: string, waiter: Waiter): void {
    if (this.#waiters.get(operationId) !== waiter) return;
    this.#waiters.delete(operationId);
    this.#gone.push(operationId);
    waiter.end(undefined);
    this.#wake();
  }

  #endAll(): void {
    for (const waiter of [...this.#waiters.values()]) waiter.end(undefined);
    this.#waiters.clear();
  }

  #wake(): void {
    this.#rest.abort();
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    const { sleep = pause } = this.dependencies;
    while (!this.#closed && (this.#waiters.size > 0 || this.#gone.length > 0)) {
      this.#rest = new AbortController();
      const waitMs = await this.#visit();
      if (this.#waiters.size === 0) continue;
      // A pause that is broken off is over.
      await sleep(Math.min(waitMs ?? MAX_REST_MS, MAX_REST_MS), this.#rest.signal).catch(() => undefined);
    }
    this.#running = undefined;
  }

  async #visit(): Promise<number | undefined> {
    const [entered, gone] = [this.#entered, this.#gone];
    this.#entered = [];
    this.#gone = [];
    try {
      const { waitMs, given } = await this.dependencies.quota.visit(this.#copy, entered, gone);
      for (const { operationId, tag } of given) {
        const waiter = this.#waiters.get(operationId);
        this.#waiters.delete(operationId);
        waiter?.end({ tag });
      }
      return waitMs;
    } catch (err) {
      this.dependencies.logger.warn({ event: 'exchange_queue.poll_failed', err }, 'Exchange queue could not be polled');
      this.#entered = [];
      this.#gone = [];
      this.#endAll();
      return undefined;
    }
  }
}
