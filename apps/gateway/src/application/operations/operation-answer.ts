import type { AppError } from '@agent-wallet/kernel';
import { writeJson } from '../answers/exact-json.js';
import { failureAnswer } from '../answers/failure.js';
import type { FinalAnswer } from '../../ports/request-store.js';
import type { OperationKind, OperationProgress } from './operation-kind.js';

/** What a financial request is answered with. */
export interface OperationAnswer extends FinalAnswer {
  /** Whether this answer was made now or is kept from before. */
  readonly idempotency: 'fresh' | 'cached';
}

/** The final answer of a confirmed operation. */
export function confirmedAnswer(progress: Extract<OperationProgress, { state: 'confirmed' }>): FinalAnswer {
  return { statusCode: 200, message: progress.message, dataJson: writeJson(progress.data) };
}

/** The final answer of a failed operation; it names the operation, so that it can be found in history. */
export function failedAnswer(error: AppError, requestId: string, operationId: string): FinalAnswer {
  return failureAnswer(error, requestId, { transactionId: operationId });
}

/** 202: the outcome is open. */
export function submittedAnswer(
  { isOrder }: Pick<OperationKind, 'isOrder'>,
  operationId: string,
  signature: string,
  explorerUrl: (signature: string) => string,
): FinalAnswer {
  return {
    statusCode: 202,
    message: 'Submitted. The outcome is not known yet: read it from history, or repeat the request with the same key.',
    dataJson: writeJson({
      status: 'submitted',
      ...(isOrder ? { transactionStatus: 'submitted' } : {}),
      transactionId: operationId,
      ...(signature ? { signature, explorerUrl: explorerUrl(signature) } : {}),
    }),
  };
}

/** A kept answer: successes in the shape of specification 2.7, failures as they were. */
export function replayedAnswer(kept: FinalAnswer): OperationAnswer {
  if (kept.statusCode !== 200) return { ...kept, idempotency: 'cached' };
  return {
    statusCode: 200,
    message: 'This request was already processed.',
    dataJson: `{"cached":true,"originalResponse":${kept.dataJson}}`,
    idempotency: 'cached',
  };
}
