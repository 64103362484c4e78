import { type Clock, newId, settleAll } from '@agent-wallet/kernel';
import { inRequest, type Logger } from '@agent-wallet/platform';
import type { IdempotencyRecord, IdempotencyStore } from '../../ports/idempotency-store.js';
import type { HistoryService } from '../../ports/services.js';
import { type Action, askOperation, type ExplorerUrl } from './operation.js';
import { finalResponse } from './run-operation.js';

/** Dependencies of ResolveOpenRequests. */
export interface ResolveOpenRequestsDependencies {
  readonly requests: IdempotencyStore;
  readonly history: Pick<HistoryService, 'find'>;
  readonly actions: readonly Action[];
  readonly logger: Logger;
  readonly clock: Clock;
  readonly explorerUrl: ExplorerUrl;
}

const BATCH = 20;
const AT_ONCE = 5;
const LEASE_MS = 30_000;
const ASK_MS = 5_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Owners take hours, thousands of requests may wait for them, and a repeat learns of the vote without the resolver. */
const FIRST_APPROVAL_PAUSE_MS = 60_000;
const LONGEST_APPROVAL_PAUSE_MS = 600_000;

/**
 * Resolves requests that were left open to their final response, including those of a gateway that died.
 *
 * It starts no operation, because the caller may have gone on without it. The owning service ensures that an operation
 * which has not started never will. So one poll closes every request that is not in progress.
 */
export class ResolveOpenRequests {
  readonly #actions: ReadonlyMap<string, Action>;

  constructor(private readonly dependencies: ResolveOpenRequestsDependencies) {
    this.#actions = new Map(dependencies.actions.map((action) => [action.name, action]));
  }

  /** Runs one round; true when there may be more to do. */
  async round(): Promise<boolean> {
    const { requests, logger } = this.dependencies;
    const open = await requests.takeLeftOpen(BATCH, LEASE_MS);
    await Promise.all(
      open.map((record) => {
        const { operationId, agentId } = record;
        const requestId = newId();
        return inRequest({ requestId, agentId }, () =>
          this.#resolve(record, requestId).catch((err: unknown) => {
            const fields = { event: 'request.resolution_failed', operationId, err } as const;
            logger.warn(fields, 'Pending request not resolved; retrying');
          }),
        );
      }),
    );
    return open.length === BATCH;
  }

  /** Resolves an agent's operations whose outcome has just become known, without waiting for their turn. */
  async resolveNow(agentId: string, operationIds: readonly string[]): Promise<void> {
    await settleAll(AT_ONCE, operationIds, async (operationId) => {
      const record = await this.dependencies.requests.find(agentId, operationId);
      if (record && !record.response) await this.#resolve(record, newId());
    });
  }

  async #resolve(record: IdempotencyRecord, requestId: string): Promise<void> {
    const { requests, history, clock, explorerUrl } = this.dependencies;
    const { operationId } = record;
    const action = this.#actions.get(record.action);
    if (!action) return;
    const call = { operationId, deadlineMs: ASK_MS, cancelIfNotStarted: true };
    const operation = await askOperation(action, record, call, { firstTime: false, history });
    if (operation.state === 'submitted') {
      await requests.pollAgain(operationId, Math.min(FIRST_PAUSE_MS * 2 ** record.polls, LONGEST_PAUSE_MS));
      return;
    }
    if (operation.state === 'awaiting_approval') {
      const pauseMs = Math.min(FIRST_APPROVAL_PAUSE_MS * 2 ** record.polls, LONGEST_APPROVAL_PAUSE_MS);
      await requests.pollAgain(operationId, pauseMs);
      return;
    }
    const failing = { requestId, nowMs: clock.nowMs(), transactionId: operationId, explorerUrl };
    await requests.finish(operationId, finalResponse(operation, failing));
  }
}
