import { AppError, type ErrorCode } from '@agent-wallet/kernel';
import type { Preparation } from './operation-kind.js';

/** Errors that say that the request made no sense: history is not bothered with them. */
const INVALID: ReadonlySet<ErrorCode> = new Set(['VALIDATION_ERROR', 'INVALID_ADDRESS', 'UNKNOWN_TOKEN']);
/** Whoever offers an unsafe transaction is not asked again by itself: the caller decides. */
const IMPOSSIBLE: ReadonlySet<ErrorCode> = new Set([
  'INSUFFICIENT_FUNDS',
  'NO_ROUTE',
  'SLIPPAGE_EXCEEDED',
  'UNSAFE_TOKEN',
  'UNSAFE_TRANSACTION',
]);

/** What an error says of an operation that was being prepared. @throws the error, when it says nothing */
export function refusedPreparation<Plan>(error: unknown, plan: Plan | undefined): Preparation<Plan> {
  if (!(error instanceof AppError)) throw error;
  if (INVALID.has(error.code)) return { kind: 'invalid', error };
  if (IMPOSSIBLE.has(error.code)) return { kind: 'impossible', plan, error };
  throw error;
}
