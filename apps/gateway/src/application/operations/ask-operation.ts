import { AppError, errorEntry } from '@agent-wallet/kernel';
import { setTimeout as pause } from 'node:timers/promises';
import { OutcomeUnknown } from '../../ports/outcome-unknown.js';
import type { HistoryService } from '../../ports/history-service.js';
import type { OperationKind, OperationOrder, OperationProgress } from './operation-kind.js';

/** How an operation that was asked for stands: it goes on, it is done, or it definitely failed. */
export type AskedOperation = OperationProgress | { readonly state: 'failed'; readonly error: AppError };

const LONGEST_WAIT_MS = 20_000;
/** Less than this is not worth another call. */
const SHORTEST_CALL_MS = 500;
/** What a call may take beyond the wait it asks for. */
const CALL_OVERHEAD_MS = 1_500;
const PAUSE_MS = 250;

/**
 * Asks for an operation until there is an answer or the time is up. Asking again is safe: the operation id is the same.
 * No answer in time means `submitted`: it may have happened, or may still happen.
 * @param order.deadlineMs all the time there is
 * @param firstTime whether nobody asked for this operation before
 */
export async function askOperation(
  kind: OperationKind,
  order: Omit<OperationOrder, 'waitMs'>,
  firstTime: boolean,
  history: Pick<HistoryService, 'find'>,
): Promise<AskedOperation> {
  const endsAtMs = performance.now() + order.deadlineMs;
  for (let first = firstTime; ; first = false) {
    const leftMs = Math.max(endsAtMs - performance.now(), SHORTEST_CALL_MS);
    const waitMs = Math.round(Math.max(Math.min(LONGEST_WAIT_MS, leftMs - CALL_OVERHEAD_MS), 0));
    try {
      return await kind.perform({ ...order, waitMs, deadlineMs: leftMs });
    } catch (error) {
      if (error instanceof AppError && (first || (await isDefinite(error, order, history)))) {
        return { state: 'failed', error };
      }
      if (!(error instanceof AppError) && !(error instanceof OutcomeUnknown)) throw error;
    }
    if (endsAtMs - performance.now() < PAUSE_MS + SHORTEST_CALL_MS) return { state: 'submitted', signature: '' };
    await pause(PAUSE_MS);
  }
}

/**
 * The first answer of the service is about the operation. A later one may be about the service: "unavailable" then does
 * not say that nothing moved, unless history knows the operation as failed.
 */
async function isDefinite(
  error: AppError,
  order: { readonly agentId: string; readonly operationId: string },
  history: Pick<HistoryService, 'find'>,
): Promise<boolean> {
  if (errorEntry(error.code).http < 500 || error.code === 'TRANSACTION_EXPIRED') return true;
  const record = await history.find(order.agentId, order.operationId).catch(() => undefined);
  return record?.status === 'failed' || record?.status === 'expired';
}
