import { AppError } from './app-error.js';

const REASON = 'recovering';

/**
 * The error of all that would move money while a restored database is compared with the chain: 503, and the same
 * request may be sent again later. Nothing was permitted.
 */
export function recovering(cause?: unknown): AppError {
  return new AppError('SERVICE_UNAVAILABLE', {
    message: 'The service is recovering and moves no money before it has read the chain. Nothing has moved.',
    data: { reason: REASON },
    cause,
  });
}

/** Whether an error is {@link recovering}, however many services it came through. */
export function isRecovering(error: unknown): boolean {
  return error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE' && error.data['reason'] === REASON;
}
