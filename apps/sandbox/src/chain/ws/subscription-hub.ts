import type { Chain } from '../chain.js';
import { readTransaction } from '../message.js';
import type { LoggedLanding, Subscription } from './subscription.js';

/** Receives the news of one subscription. */
type Notify = (notification: string, id: number, result: unknown) => void;

interface Entry {
  readonly id: number;
  readonly subscription: Subscription;
  readonly notify: Notify;
}

/** All subscriptions of all connections. It looks for news when something landed and when a block begins. */
export class SubscriptionHub {
  private readonly entries = new Map<number, Entry>();
  private landings: LoggedLanding[] = [];
  private nextId = 1;
  private timer: NodeJS.Timeout | undefined;
  private isScheduled = false;
  private readonly stopListening: () => void;

  constructor(private readonly chain: Chain) {
    this.stopListening = chain.onLanding((landed, record, logs) => {
      if (this.entries.size === 0) return;
      const accounts = new Set([...readTransaction(record.wire).message.keys, ...record.loaded]);
      this.landings.push({ landed, accounts, logs });
      this.soon();
    });
  }

  /** Adds a subscription and answers its number. News that exist already are sent at once, after the answer. */
  add(subscription: Subscription, notify: Notify): number {
    const id = this.nextId++;
    this.entries.set(id, { id, subscription, notify });
    this.soon();
    return id;
  }

  /** Ends a subscription; false when there is none of that number. */
  remove(id: number): boolean {
    return this.entries.delete(id);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.entries.clear();
    this.stopListening();
  }

  private soon(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.spread();
    });
  }

  private spread(): void {
    const view = this.chain.view();
    for (const { id, subscription, notify } of this.entries.values()) {
      const { results, isLast } = subscription.news(view, this.landings);
      if (isLast) this.entries.delete(id);
      for (const result of results) notify(subscription.notification, id, result);
    }
    // What is final has been sent at every commitment.
    this.landings = this.landings.filter(({ landed }) => landed.slot > view.finalized);
    clearTimeout(this.timer);
    if (this.entries.size === 0) return;
    this.timer = setTimeout(
      () => this.spread(),
      Math.max(1, this.chain.clock.nextBlockMs() - this.chain.clock.nowMs()),
    );
  }
}
