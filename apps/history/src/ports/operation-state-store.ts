/** An operation as the log has it. */
export interface OperationState {
  readonly operationId: string;
  readonly agentId: string;
  /** As history shows it. */
  readonly status: string;
  readonly revision: number;
}

/** The latest states of operations. @throws AppError SERVICE_UNAVAILABLE */
export interface OperationStateStore {
  /** Returns the operations that are known, in no order. */
  find(operationIds: readonly string[]): Promise<OperationState[]>;
}
