import { AppError, assertUuid } from '@agent-wallet/kernel';
import type { OperationState, OperationStateStore } from '../ports/operation-state-store.js';

const MAX_IDS = 500;

/** States of operations as the log has them, to compare with what their services say. */
export class ListOperationStates {
  constructor(private readonly states: OperationStateStore) {}

  /** @throws AppError VALIDATION_ERROR, SERVICE_UNAVAILABLE */
  async execute(operationIds: readonly string[]): Promise<OperationState[]> {
    if (operationIds.length < 1 || operationIds.length > MAX_IDS) {
      throw AppError.field('operationIds', `must be 1 to ${MAX_IDS} operations`);
    }
    operationIds.forEach((id, n) => assertUuid(`operationIds.${n}`, id));
    return this.states.find(operationIds);
  }
}
