import { AppError, type ErrorCode, sleep } from '@agent-wallet/kernel';
import type { SagaStep } from '@agent-wallet/operations';
import { toAppError } from '@agent-wallet/platform';

const TRIES = 3;
const PAUSE_MS = 250;

/** The gateway keeps no record of such a request, so history gets none either. */
const UNPUBLISHED: ReadonlySet<ErrorCode> = new Set(['VALIDATION_ERROR']);

/**
 * Finds out how to do an operation for which nothing has moved yet, so any open question ends it. What may
 * pass is tried a few times.
 * @param plan what is written of it, so that history knows it; undefined when nothing is
 */
export async function prepared<Plan>(
  find: () => Promise<SagaStep<Plan>>,
  signal: AbortSignal,
  plan?: Plan,
): Promise<SagaStep<Plan>> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await find();
    } catch (error) {
      signal.throwIfAborted();
      const mayPass = !(error instanceof AppError) || error.code === 'UPSTREAM_ERROR';
      if (!mayPass || tries === TRIES) return refused(toAppError(error), plan);
      await sleep(PAUSE_MS * tries, signal);
    }
  }
}

/** Returns the end of an operation that never began. */
export function refused<Plan>(error: AppError, plan?: Plan): SagaStep<Plan> {
  const state = error.code === 'POLICY_VIOLATION' ? 'rejected' : 'failed';
  return { kind: 'done', plan, state, error, publishesEvent: plan !== undefined || !UNPUBLISHED.has(error.code) };
}

/** Returns the error of an advance after the operation has ended: nothing more may be written. */
export function alreadyDone({ id }: { readonly id: string }): Error {
  return new Error(`operation ${id} has ended`);
}
