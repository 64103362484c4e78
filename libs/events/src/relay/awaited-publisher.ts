import { withTimeout } from '@agent-wallet/kernel';
import type { EventPublisher, EventRecord } from '../ports.js';

/** Publishes one batch at a time, and waits for each only so long. */
export class AwaitedPublisher {
  #underWay: Promise<void> | undefined;

  constructor(
    private readonly publisher: EventPublisher,
    private readonly withinMs: number,
  ) {}

  /** Whether a batch that was abandoned is still under way: nothing may follow it before it has ended. */
  get isBusy(): boolean {
    return this.#underWay !== undefined;
  }

  /** @throws Error when it takes too long, although it may still be published; what the publisher throws */
  async publish(events: readonly EventRecord[]): Promise<void> {
    if (this.#underWay) throw new Error('a batch is under way');
    const underWay = this.publisher.publish(events).finally(() => {
      this.#underWay = undefined;
    });
    this.#underWay = underWay;
    const tooLong = () => new Error(`publishing ${events.length} events took longer than ${this.withinMs} ms`);
    await withTimeout(this.withinMs, underWay, tooLong);
  }
}
