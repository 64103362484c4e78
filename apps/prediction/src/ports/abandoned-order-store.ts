import type { OperatorNote } from './reconciliation-store.js';

/** Orders that the exchange said it has and never showed, and that an operator declared not to exist. */
export interface AbandonedOrderStore {
  /** Reports whether an order, named by its client order ID, was abandoned. */
  has(clientOrderId: string): Promise<boolean>;
  /** Gives up the order of an operation, once; `no_such_order` when its operation waits for no such order. */
  abandon(operationId: string, note: OperatorNote): Promise<'abandoned' | 'already' | 'no_such_order'>;
}
