import { assertUuid, isUuid, notFound } from '@agent-wallet/kernel';
import type { ValuedRecord } from '../domain/transaction-record.js';
import type { TransactionStore } from '../ports/transaction-store.js';

/** One record of an agent's history. */
export class GetTransaction {
  constructor(private readonly transactions: TransactionStore) {}

  /**
   * Returns a record; another agent's record is not found, exactly like one that does not exist.
   * @throws AppError VALIDATION_ERROR, NOT_FOUND, SERVICE_UNAVAILABLE
   */
  async execute(agentId: string, id: string): Promise<ValuedRecord> {
    assertUuid('agentId', agentId);
    const record = isUuid(id) ? await this.transactions.find(agentId, id) : undefined;
    if (!record) throw notFound('transaction', 'Check its id.');
    return record;
  }
}
