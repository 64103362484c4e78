import type { historyV1 } from '@agent-wallet/contracts';
import { notFound, sleep } from '@agent-wallet/kernel';
import type { IdempotencyStore } from '../../ports/idempotency-store.js';
import type { HistoryService } from '../../ports/services.js';
import type { ExplorerUrl } from './operation.js';
import type { ExactJson } from '../responses/exact-json.js';
import { requestedTransaction, transactionResponse } from '../responses/transaction-response.js';

const HISTORY_LAG_MS = 2_000;
const POLL_MS = 100;

/**
 * One record of history. An operation is answered before its events have reached history: for one that we know of, we
 * wait a moment, and then say what we know ourselves.
 */
export class ReadTransaction {
  constructor(
    private readonly history: Pick<HistoryService, 'find'>,
    private readonly requests: Pick<IdempotencyStore, 'find'>,
    private readonly explorerUrl: ExplorerUrl,
    private readonly historyLagMs = HISTORY_LAG_MS,
  ) {}

  /** A record as every route shows it. */
  show(record: historyV1.Transaction): ExactJson {
    return transactionResponse(record, this.explorerUrl);
  }

  /** @throws AppError NOT_FOUND when the agent has no such record */
  async read(agentId: string, transactionId: string): Promise<ExactJson> {
    const waitUntilMs = performance.now() + this.historyLagMs;
    for (;;) {
      const record = await this.history.find(agentId, transactionId);
      if (record) return this.show(record);
      const asked = await this.requests.find(agentId, transactionId);
      if (!asked) throw notFound('transaction', 'Check its id.');
      if (performance.now() >= waitUntilMs) return requestedTransaction(asked);
      await sleep(POLL_MS);
    }
  }
}
