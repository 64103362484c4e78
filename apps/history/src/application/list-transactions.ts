import { AppError, assertUuid } from '@agent-wallet/kernel';
import type { Page, PageQuery, TransactionStore } from '../ports/transaction-store.js';

const MAX_LIMIT = 100;
const MAX_OFFSET = 2 ** 31 - 1;

/** One page of an agent's history. */
export class ListTransactions {
  constructor(private readonly transactions: TransactionStore) {}

  /** @throws AppError VALIDATION_ERROR, SERVICE_UNAVAILABLE */
  async execute(query: PageQuery): Promise<Page> {
    assertUuid('agentId', query.agentId);
    checkInteger('limit', query.limit, { min: 1, max: MAX_LIMIT });
    checkInteger('offset', query.offset, { min: 0, max: MAX_OFFSET });
    // No action has such a name, and Postgres would refuse the text.
    if (query.action?.includes('\0')) throw AppError.field('action', 'is no action');
    return this.transactions.page(query);
  }
}

function checkInteger(field: string, value: number, { min, max }: { min: number; max: number }): void {
  if (!Number.isInteger(value) || value < min || value > max) {
    throw AppError.field(field, `must be an integer from ${min} to ${max}`);
  }
}
