import type { OperatorNote } from './reconciliation-store.js';

/** Orders that the exchange said it has and never showed, and that an operator declared not to exist. */
export interface AbandonedOrderStore {
  /** Whether an order, named by its client order id, was given up. */
  has(clientOrderId: string): Promise<boolean>;
  /** Gives up the order of an operation, once; `no_such_order` when its operation waits for no such order. */
  giveUp(operationId: string, note: OperatorNote): Promise<'given_up' | 'already' | 'no_such_order'>;
}
