import type { Key } from '../../encoding/keys.js';
import type { ExecuteReply } from './execute-reply.js';
import type { Offer } from './offer.js';

/** How long an order is known after it was given, and its outcome after it was executed. */
const LIFE_MS = 120_000;

/** An order that was given with a transaction. */
export interface Order {
  readonly requestId: string;
  readonly offer: Offer;
  readonly taker: Key;
  /** The message that was given to be signed. */
  readonly message: Buffer;
  readonly tipLamports: bigint;
  /** The first execution: every later one gets the same answer. */
  execution?: Promise<ExecuteReply>;
}

/** The orders that may still be executed. Nothing of it outlives the process: what landed is on the chain. */
export class OrderBook {
  private readonly orders = new Map<string, { order: Order; untilMs: number }>();

  constructor(private readonly nowMs: () => number) {}

  add(order: Order): void {
    this.forgetOld();
    this.orders.set(order.requestId, { order, untilMs: this.nowMs() + LIFE_MS });
  }

  /** The order, if it is still known. */
  get(requestId: string): Order | undefined {
    this.forgetOld();
    return this.orders.get(requestId)?.order;
  }

  /** An order that is being executed is known for its whole life again. */
  keep(order: Order): void {
    this.orders.delete(order.requestId);
    this.add(order);
  }

  /** Entries lie in the order in which they end. */
  private forgetOld(): void {
    const now = this.nowMs();
    for (const [requestId, { untilMs }] of this.orders) {
      if (untilMs > now) break;
      this.orders.delete(requestId);
    }
  }
}
