export { type Checkpoint, type CheckpointName, type CheckpointPoint } from './runtime/checkpoints.js';
export { type OperationCall, OperationEngine, type OperationEngineOptions } from './engine/operation-engine.js';
export { OperatorService, type OperatorNote } from './operator/operator-service.js';
export { prepareDryRun, type SpendingCheck, type StopCheck, stoppedDecision } from './handlers/prepare-allowed.js';
export { landedWithError, wouldFail } from './message/failed-transaction.js';
export { BLOCKHASH_MAX_AGE_MS, saltOf } from './handlers/message-salt.js';
export type { OperationTiming } from './runtime/timing.js';
export {
  type Failure,
  type Handler,
  type Landing,
  type OperationDescription,
  type OperationHandler,
  type OperationInput,
  type PermitName,
  type Preparation,
  type PreparationInput,
  refusedPreparation,
  type Saga,
  type SagaExplanation,
  type SagaInput,
  type SagaStep,
} from './handlers/handler.js';
export {
  amount,
  amountOf,
  requestedAmount,
  type Field,
  type FieldsOf,
  flag,
  integer,
  type JsonObject,
  type JsonValue,
  list,
  oneOf,
  type OperationCodec,
  optional,
  type OptionalField,
  type JsonCodec,
  planCodec,
  record,
  requestCodec,
  signedAmount,
  text,
  variants,
} from './handlers/json-codec.js';
export type {
  OperationApprovals,
  OperationChain,
  OperationPolicy,
  OperationSigner,
} from './runtime/operation-runtime.js';
export type { OperationRecoveries } from './runtime/recovery-gate.js';
export {
  type AttemptRecord,
  type AttemptState,
  isAwaitingApproval,
  isDecided,
  type OperationRecord,
  type OperationState,
  type RequestedApproval,
} from './records/operation.js';
export {
  type OperationBase,
  type OperationOverrides,
  openOperationBase,
  openOperations,
} from './service/open-operations.js';
export { OPERATION_VARIABLES, operationSettings, type OperationSettings } from './service/operation-settings.js';
export { answeredState, awaitedApproval } from './service/answered-state.js';
export { serveOperations } from './service/serve-operations.js';
export { requestedApproval } from './message/await-approval.js';
export { findOperation } from './store/find-operation.js';
