import { AppError, errorEntry, sleep } from '@agent-wallet/kernel';
import { isAwaitingApproval, type OperationRecord } from '../records/operation.js';
import type { Saga, SagaStep } from '../handlers/handler.js';
import type { OperationRuntime } from '../runtime/operation-runtime.js';

/**
 * Takes a saga one step on, and writes it with all that becomes true by it.
 * @returns the operation as it is then; the same one when the saga only waited
 * @throws LeaseLost, the signal's reason, or what says nothing: it is tried again from the row
 */
export async function takeStep(
  runtime: OperationRuntime,
  record: OperationRecord,
  { saga, signal }: { readonly saga: Saga; readonly signal: AbortSignal },
): Promise<OperationRecord> {
  let step = await saga.advance(record, signal);
  for (;;) {
    signal.throwIfAborted();
    if (step.kind === 'wait') {
      await sleep(step.forMs, signal, runtime.tools.scheduler);
      return record;
    }
    try {
      return await write(runtime, record, step);
    } catch (error) {
      const instead = isRefusal(error) ? await step.otherwise?.(error) : undefined;
      if (!instead) throw error;
      step = instead;
    }
  }
}

async function write(
  runtime: OperationRuntime,
  record: OperationRecord,
  step: Exclude<SagaStep<unknown>, { kind: 'wait' }>,
): Promise<OperationRecord> {
  const { plan, write, publishesEvent = true } = step;
  if (step.kind === 'park') {
    const { approval } = step;
    const parked = { state: 'awaiting_approval', plan, approval, write, publishesEvent } as const;
    const written = await runtime.change(record, parked, 'parked');
    await runtime.at(written, 'after-parking');
    return written;
  }
  if (step.kind === 'done') {
    const { state, error } = step;
    return runtime.change(record, { state, plan, error, write, publishesEvent }, 'closed');
  }
  const { state = isAwaitingApproval(record) ? 'pending' : record.state } = step;
  const written = await runtime.change(record, { state, plan, write, publishesEvent }, 'open');
  if (step.at !== undefined) await runtime.at(written, step.at);
  return written;
}

/** Reports whether an error is final, so that a retry cannot help. */
function isRefusal(error: unknown): error is AppError {
  return error instanceof AppError && !errorEntry(error.code).retryable;
}
