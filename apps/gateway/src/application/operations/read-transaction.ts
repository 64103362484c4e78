import type { historyV1 } from '@agent-wallet/contracts';
import { notFound, sleep } from '@agent-wallet/kernel';
import type { IdempotencyRecord, IdempotencyStore } from '../../ports/idempotency-store.js';
import type { HistoryService } from '../../ports/services.js';

const HISTORY_LAG_MS = 2_000;
const POLL_MS = 100;

/** A record of history, or the request for it while history does not have it yet. */
type FoundTransaction = { readonly record: historyV1.Transaction } | { readonly request: IdempotencyRecord };

/**
 * Finds one record of history. An operation is answered before its events have reached history: for one that we know of,
 * we wait a moment, and then return what we know ourselves.
 */
export class ReadTransaction {
  constructor(
    private readonly history: Pick<HistoryService, 'find'>,
    private readonly requests: Pick<IdempotencyStore, 'find'>,
    private readonly historyLagMs = HISTORY_LAG_MS,
  ) {}

  /** @throws AppError NOT_FOUND when the agent has no such record */
  async read(agentId: string, transactionId: string): Promise<FoundTransaction> {
    const waitUntilMs = performance.now() + this.historyLagMs;
    for (;;) {
      const record = await this.history.find(agentId, transactionId);
      if (record) return { record };
      const request = await this.requests.find(agentId, transactionId);
      if (!request) throw notFound('transaction', 'Check its id.');
      if (performance.now() >= waitUntilMs) return { request };
      await sleep(POLL_MS);
    }
  }
}
