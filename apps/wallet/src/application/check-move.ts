import { AppError, assertUuid, MAX_BASE_UNITS } from '@agent-wallet/kernel';
import type { MoveRequest } from '../domain/move.js';

/** More would be a fault of the caller, and attempts look back at those before them. */
const MAX_COUNT = 100;

/**
 * Refuses a move that can be refused without asking anyone.
 * @throws AppError VALIDATION_ERROR
 */
export function checkMove({ operationId, step, attempt, direction, amount }: MoveRequest): void {
  assertUuid('operationId', operationId);
  if (step < 1 || step > MAX_COUNT) throw AppError.field('step', `must be from 1 to ${MAX_COUNT}`);
  if (attempt < 1 || attempt > MAX_COUNT) throw AppError.field('attempt', `must be from 1 to ${MAX_COUNT}`);
  if (direction === 'escrow' && step !== 1)
    throw AppError.field('step', 'must be 1 for an escrow: it makes the reservation');
  const units = BigInt(amount);
  if (units <= 0n || units > MAX_BASE_UNITS) throw AppError.field('amount', 'must be positive');
}
