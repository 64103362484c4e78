import { AppError } from '@agent-wallet/kernel';

/** What was offered is not what was asked for. The reason is for the log. */
export function unsafeTransaction(reason: string, cause?: unknown): AppError {
  return new AppError('UNSAFE_TRANSACTION', { cause: new Error(reason, { cause }) });
}
