export {
  type Checkpoint,
  type CheckpointName,
  type CheckpointPoint,
  crashAtPlaceIn,
  noCheckpoint,
} from './runtime/checkpoints.js';
export { type OperationCall, OperationEngine, type OperationEngineOptions } from './engine/operation-engine.js';
export { OperatorDesk, type OperatorNote } from './operator/operator-desk.js';
export { OperationsController } from './operator/operations.controller.js';
export { DEFAULT_PACE, type OperationPace } from './runtime/timing.js';
export type { Kind } from './kinds/saga-kind.js';
export type {
  Failure,
  Landing,
  OperationDescription,
  OperationInput,
  OperationKind,
  PermitName,
  Preparation,
} from './kinds/operation-kind.js';
export {
  amount,
  amountOf,
  type Field,
  type FieldsOf,
  flag,
  integer,
  type JsonObject,
  type JsonValue,
  list,
  oneOf,
  optional,
  type OptionalField,
  type PlanCodec,
  planCodec,
  record,
  signedAmount,
  text,
  UnreadablePlan,
  variants,
} from './kinds/plan-codec.js';
export type { OperationChain, OperationPolicy, OperationRecoveries, OperationSigner } from './runtime/peers.js';
export { type AttemptRecord, type AttemptState, isDecided } from './records/operation.js';
export type { OperationRecord, OperationState } from './records/operation.js';
export { refusedPreparation } from './kinds/operation-kind.js';
export type { SagaExplanation, SagaInput, SagaKind, SagaStep } from './kinds/saga-kind.js';
export type { OperationSeams } from './service/operation-seams.js';
export { serveOperations } from './service/serve-operations.js';
export { startEventRelay } from './service/start-event-relay.js';
export { findOperation } from './store/find-operation.js';
