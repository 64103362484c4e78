export { type Checkpoint, type CheckpointName, type CheckpointPoint, crashAt, noCheckpoint } from './checkpoints.js';
export { type OperationCall, OperationEngine, type OperationEngineOptions } from './engine/operation-engine.js';
export { OperatorDesk, type OperatorNote } from './operator/operator-desk.js';
export { OperationsController, OPERATOR_DESK } from './operator/operations.controller.js';
export { DEFAULT_PACE, type OperationPace } from './engine/pace.js';
export type { Kind } from './kinds.js';
export type {
  Failure,
  Landing,
  OperationDescription,
  OperationInput,
  OperationKind,
  PermitName,
  Preparation,
} from './operation-kind.js';
export type { OperationChain, OperationPolicy, OperationRecoveries, OperationSigner } from './ports.js';
export { type AttemptRecord, type AttemptState, isDecided } from './records/operation.js';
export type { OperationRecord, OperationState } from './records/operation.js';
export { refusedPreparation } from './refused-preparation.js';
export type { SagaExplanation, SagaInput, SagaKind, SagaStep } from './saga-kind.js';
export type { OperationSeams } from './service/operation-seams.js';
export { serveOperations } from './service/serve-operations.js';
export { startEventRelay } from './service/start-event-relay.js';
export { findOperation } from './store/find-operation.js';
