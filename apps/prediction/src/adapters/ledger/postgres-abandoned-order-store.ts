import type { Outbox } from '@agent-wallet/events';
import type { Database } from '@agent-wallet/platform';
import type { OperatorNote } from '../../ports/reconciliation-store.js';
import type { AbandonedOrderStore } from '../../ports/abandoned-order-store.js';

/** The table `abandoned_orders`; the operation itself is left to the worker that drives it. */
export class PostgresAbandonedOrderStore implements AbandonedOrderStore {
  constructor(
    private readonly database: Pick<Database, 'pool' | 'transaction'>,
    private readonly outbox: Outbox,
  ) {}

  async has(clientOrderId: string): Promise<boolean> {
    const sql = 'select from abandoned_orders where client_order_id = $1';
    const { rowCount } = await this.database.pool.query(sql, [clientOrderId]);
    return rowCount !== 0;
  }

  abandon(operationId: string, { operator, reason }: OperatorNote): ReturnType<AbandonedOrderStore['abandon']> {
    return this.database.transaction(async (tx) => {
      const { rows } = await tx.query<{ agent_id: string; client_order_id: string }>(
        `select agent_id, plan->'placing'->>'clientOrderId' as client_order_id from operations
         where id = $1 and state in ('pending', 'submitted')
           and plan->>'state' = 'placing' and plan->'placing'->>'state' = 'acknowledged'`,
        [operationId],
      );
      const waiting = rows[0];
      if (!waiting) return 'no_such_order';
      const { rowCount } = await tx.query(
        'insert into abandoned_orders (client_order_id, operation_id) values ($1, $2) on conflict do nothing',
        [waiting.client_order_id, operationId],
      );
      if (rowCount === 0) return 'already';
      const value = { operator, action: 'abandon_order', reason, operationId };
      await this.outbox.write(tx, waiting.agent_id, { $case: 'operatorActed', value });
      return 'abandoned';
    });
  }
}
