import { AppError } from '@agent-wallet/kernel';

/** Returns the error of an offer that differs from the request. The reason is for the log. */
export function unsafeTransaction(reason: string, cause?: unknown): AppError {
  return new AppError('UNSAFE_TRANSACTION', { cause: new Error(reason, { cause }) });
}
