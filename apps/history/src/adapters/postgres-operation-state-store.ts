import { type Database, databaseError } from '@agent-wallet/platform';
import type { OperationState, OperationStateStore } from '../ports/operation-state-store.js';

/** The table `transactions`, by ids of operations. */
export class PostgresOperationStateStore implements OperationStateStore {
  constructor(private readonly database: Database) {}

  async find(operationIds: readonly string[]): Promise<OperationState[]> {
    try {
      const { rows } = await this.database.pool.query<{
        id: string;
        agent_id: string;
        status: string;
        revision: string;
      }>({
        name: 'operation-states',
        text: 'select id, agent_id, status, revision from transactions where id = any($1::uuid[])',
        values: [operationIds],
      });
      return rows.map((row) => ({
        operationId: row.id,
        agentId: row.agent_id,
        status: row.status,
        revision: Number(row.revision),
      }));
    } catch (error) {
      throw databaseError(error);
    }
  }
}
