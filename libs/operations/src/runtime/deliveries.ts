import type { Logger } from '@agent-wallet/platform';
import type { OperationHandler } from '../handlers/handler.js';
import type { OperationRecord } from '../records/operation.js';

/** Deliveries beside the polls of the chain: nothing waits for them, and each operation has at most one under way. */
export class Deliveries {
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(private readonly logger: Logger) {}

  /** Begins to hand the signed bytes over, unless that is under way. @param done is called when it is over */
  begin(handler: OperationHandler, record: OperationRecord, done: () => Promise<void>): void {
    if (this.#underWay.has(record.id)) return;
    const delivery = this.#deliver(handler, record).then(() => void this.#underWay.delete(record.id));
    this.#underWay.set(record.id, delivery);
    void delivery.then(done);
  }

  /** Returns the end of the delivery in progress for an operation, or undefined without one. Never rejects. */
  endOf(id: string): Promise<void> | undefined {
    return this.#underWay.get(id);
  }

  async #deliver(handler: OperationHandler, record: OperationRecord): Promise<void> {
    try {
      await handler.deliver!(record, record.plan, record.attempt!.transaction!);
    } catch (err) {
      const fields = { event: 'transaction.delivery_failed', operationId: record.id, err } as const;
      this.logger.warn(fields, 'Transaction may not have been delivered');
    }
  }
}
