import { AppError } from './app-error.js';
import type { UnavailableReason } from './error-facts.js';

/** Public message for each reason for which the service is unavailable. */
export const UNAVAILABLE_MESSAGES: Readonly<Record<UnavailableReason, string>> = {
  recovering:
    'The service is recovering: it moves no money until it has read the chain. Nothing has moved. Try again later.',
  treasury_daily_limit: 'The operator’s daily payout limit is reached. Nothing has moved. Try again later.',
  database: 'The database is unavailable. Try again later.',
  shutting_down: 'This replica is shutting down. Try again.',
};

/**
 * Creates the error of a money movement while a restored database is compared with the chain. It is a 503, and the same
 * request may be sent again later. Nothing was permitted.
 */
export function recovering(cause?: unknown): AppError {
  return new AppError('SERVICE_UNAVAILABLE', {
    message: UNAVAILABLE_MESSAGES.recovering,
    data: { reason: 'recovering' },
    cause,
  });
}

/** Reports whether an error is {@link recovering}, through any number of services. */
export function isRecovering(error: unknown): boolean {
  return error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE' && error.data['reason'] === 'recovering';
}
