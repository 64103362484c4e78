import { AppError } from '@agent-wallet/kernel';
import { databaseError } from '@agent-wallet/platform';

/** The error that leaves a transaction: a refusal that was thrown inside as it is, a failed query as the database's. */
export function storeError(error: unknown): AppError {
  return error instanceof AppError ? error : databaseError(error);
}
