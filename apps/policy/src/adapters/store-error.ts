import { AppError } from '@agent-wallet/kernel';
import { databaseError } from '@agent-wallet/platform';

/** Runs statements: a refusal that is thrown among them leaves as it is, a failed query as the database's error. */
export async function withStoreErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AppError ? error : databaseError(error);
  }
}
