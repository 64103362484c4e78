import type { intentV1, operationsV1, policyV1 } from '@agent-wallet/contracts';
import type { OperationActionName } from '@agent-wallet/events';
import { AppError, type ErrorCode } from '@agent-wallet/kernel';
import type { DatabaseTransaction } from '@agent-wallet/platform';
import type { OperationState, RequestedApproval } from '../records/operation.js';
import type { OperationCodec } from './json-codec.js';

/** An action that history shows, or the step of another service's operation, which publishes no events. */
type HandledAction = OperationActionName | 'move';

/** The parts of an operation that its handler needs. */
export interface OperationInput<Request> {
  /** UUID. */
  readonly id: string;
  readonly agentId: string;
  readonly request: Request;
}

/** Input of a preparation. */
export interface PreparationInput<Request, Plan> extends OperationInput<Request> {
  /** The plan that an owner was asked to approve; policy permits only what fits it. Undefined without an approval. */
  readonly plan?: Plan | undefined;
}

/** Result of a preparation. */
export type Preparation<Plan> =
  /** This message does it. */
  | {
      readonly kind: 'ready';
      readonly plan: Plan;
      readonly intent: intentV1.Intent;
      /** Serialized, without signatures. */
      readonly message: Uint8Array;
      readonly lastValidBlockHeight: number;
      /** The 32-byte addresses that lookup tables bring into the message, for the signer; omitted without tables. */
      readonly resolvedAddresses?: readonly Uint8Array[];
    }
  /** It is well-formed and cannot be done now: it ends `failed`, and an event reports it. */
  | { readonly kind: 'impossible'; readonly plan: Plan | undefined; readonly error: AppError }
  /** It was never a sensible request: every repeat gets the error, and no event reports it. */
  | { readonly kind: 'invalid'; readonly error: AppError };

/** The name by which policy identifies a message. */
export interface PermitName {
  /** UUID. */
  readonly operationId: string;
  /** From 1. */
  readonly step: number;
  /** From 1, within the step. */
  readonly attempt: number;
}

/** An operation as history shows it. */
export interface OperationDescription {
  /** Symbol, or what the caller wrote while that is not resolved; absent where it moves several assets. */
  readonly asset?: string;
  /** Base units; absent while they are not known. */
  readonly amount?: bigint;
  readonly decimals?: number;
  /** Recipient address; absent where there is none. */
  readonly to?: string;
  /** Facts of the action, without secrets. Absent where no event reports the operation. */
  readonly facts?: operationsV1.OperationFacts['action'];
  /** Base58, where it is not that of the operation's own message. */
  readonly signature?: string;
}

/** A transaction that did what it was to do, and is in a block. */
export interface Landing {
  /** Base58: the transaction's id. */
  readonly signature: string;
  readonly slot: number;
}

/** A transaction that is in a block for ever, and did nothing but cost its fee. */
export interface Failure {
  /** Base58: the transaction's id. */
  readonly signature: string;
  /** The serialized message. */
  readonly message: Uint8Array;
  /** The chain's own error as JSON text. */
  readonly error: string;
  /** Network fee paid by the wallet, or by the sponsor in its place; zero when the cosigner paid. */
  readonly networkFeeLamports: bigint;
}

/**
 * Carries out one type of operation as one message on chain; declared by the service that owns it. Requests and plans are
 * stored as JSON by their codecs.
 */
export interface OperationHandler<Request = unknown, Plan = unknown> {
  /** Its name in the table, in history and in checkpoints: `transfer`. */
  readonly action: HandledAction;
  /** Codec of its requests and plans. */
  readonly codec: OperationCodec<Request, Plan>;
  /** Whether its changes are published as events; true when omitted. False where another operation's events cover it. */
  readonly emitsEvents?: boolean;
  /**
   * Returns the name under which policy permits and settles the message, where it is a step of another service's
   * operation. Returns the same name for the same plan. Without this method, the operation's own name is used. With it, an
   * approval that an owner is asked for ends the operation: the other service waits for it.
   */
  permitScope?(operation: OperationInput<Request>, plan: Plan): PermitName;
  /**
   * Finds out what the request means now and builds the message. Only reads. It is called until its result is
   * stored, so at most one of its messages is ever signed.
   * @throws AppError when it could not be found out: the operation fails with it
   */
  prepare(operation: PreparationInput<Request, Plan>): Promise<Preparation<Plan>>;
  /**
   * Returns the kind of spending that a freeze or a switch of the policy may forbid; undefined when neither can. It is
   * checked when the operation cannot be done: a policy violation is reported before what the wallet lacks.
   */
  spending?(request: Request): policyV1.Spending | undefined;
  /** Describes the operation for history; `plan` is undefined while the request is not resolved. */
  describe(request: Request, plan: Plan | undefined): OperationDescription;
  /**
   * Reads what is known only after confirmation. The write that publishes the confirmation adds it to the plan. Only
   * reads; a crash repeats the call. Returns undefined when there is nothing to add.
   * @throws any error when it could not be found out yet: it is tried again a few times, and then done without, because
   *   a confirmation waits for nothing else
   */
  landed?(operation: OperationInput<Request>, plan: Plan, landing: Landing): Promise<Partial<Plan> | undefined>;
  /**
   * Returns a more precise error than TRANSACTION_EXPIRED for a message that is proven never to land. The operation
   * then ends `failed` with it. Undefined without one.
   */
  explainExpiry?(operation: OperationInput<Request>, plan: Plan): Promise<AppError | undefined>;
  /**
   * Returns a more precise error than TRANSACTION_FAILED for a message that landed with an error; undefined without
   * one. The caller uses only its code and words, and adds signature and network fee to its data. Does no I/O; if it
   * throws, TRANSACTION_FAILED is used.
   */
  explainFailure?(operation: OperationInput<Request>, plan: Plan, failure: Failure): AppError | undefined;
  /**
   * Sends the signed bytes to an upstream that submits them to the chain, instead of to the node. Called repeatedly with
   * the same bytes, one call at a time, until the chain shows the outcome. Its result and its errors are ignored.
   */
  deliver?(operation: OperationInput<Request>, plan: Plan, transaction: Uint8Array): Promise<void>;
}

/** Errors of malformed requests, which history does not record. */
const INVALID: ReadonlySet<ErrorCode> = new Set(['VALIDATION_ERROR', 'INVALID_ADDRESS', 'UNKNOWN_TOKEN']);
/** The source of an unsafe transaction is not asked again automatically: the caller decides. */
const IMPOSSIBLE: ReadonlySet<ErrorCode> = new Set([
  'INSUFFICIENT_FUNDS',
  'NO_ROUTE',
  'SLIPPAGE_EXCEEDED',
  'UNSAFE_TOKEN',
  'UNSAFE_TRANSACTION',
  'POOL_NOT_SUPPORTED',
  'POOL_PAUSED',
  'POOL_PRICE_DEVIATES',
  'INSUFFICIENT_POSITION',
]);

/** Turns an error of the preparation into its result. @throws the error, when it says nothing */
export function refusedPreparation<Plan>(error: unknown, plan: Plan | undefined): Preparation<Plan> {
  if (!(error instanceof AppError)) throw error;
  if (INVALID.has(error.code)) return { kind: 'invalid', error };
  if (IMPOSSIBLE.has(error.code)) return { kind: 'impossible', plan, error };
  throw error;
}

/** A saga as it was last written. */
export interface SagaInput<Request, Plan> extends OperationInput<Request> {
  /** Undefined until the first step was written. */
  readonly plan: Plan | undefined;
  readonly state: OperationState;
}

/** Effects of the transaction that writes a step: all of them or none. */
interface Writing<Plan> {
  /** The whole plan as it is from here on. */
  readonly plan: Plan;
  /**
   * Further writes of this step, as statements of this transaction alone. Not started when the lease is lost. An error
   * undoes the step. It may run again, so it keeps nothing in memory.
   */
  readonly write?: (tx: DatabaseTransaction) => Promise<void>;
  /**
   * The step instead of this one, when `write` threw a catalogue error that waiting does not change, and everything was
   * undone. Undefined, or without this: the saga is advanced again after a pause, as for every other error.
   */
  readonly otherwise?: (refusal: AppError) => SagaStep<Plan> | undefined | Promise<SagaStep<Plan> | undefined>;
  /** Whether an event reports it; true when omitted. */
  readonly publishesEvent?: boolean;
}

/** One step on. */
export type SagaStep<Plan> =
  /** Something was found out or done. From here on it goes on. */
  | (Writing<Plan> & {
      readonly kind: 'on';
      /** From here on money may have moved; it never turns back into pending. */
      readonly state?: 'submitted';
      /** The end of a checkpoint's name that is passed after the write: `escrowed` of `prediction_buy.escrowed`. */
      readonly at?: string;
    })
  /** Nothing is written: it is advanced again later, at the earliest after so long. */
  | { readonly kind: 'wait'; readonly forMs: number }
  /**
   * It waits for an owner's approval, and has reserved nothing. Once the approval can be used, it is advanced with the state
   * `awaiting_approval`: its next step is `on` or `done`. Any other decision ends it.
   */
  | (Writing<Plan> & { readonly kind: 'park'; readonly approval: RequestedApproval })
  /** The outcome, for good. */
  | (Writing<Plan | undefined> & {
      readonly kind: 'done';
      readonly state: 'confirmed' | 'failed' | 'rejected' | 'expired';
      /** The error that every caller gets; set unless the operation is confirmed. */
      readonly error?: AppError;
    });

/** A saga in words, for the people who run the service. */
export interface SagaExplanation {
  /** State reported by upstreams, in one sentence. */
  readonly externalState: string;
  /** The next step towards the outcome, in one sentence. */
  readonly nextStep: string;
}

/**
 * Carries out one type of operation in several steps, each written before the next begins. It has
 * the leases, fences, take-overs, waiting callers and tombstones of every operation, and no message of its own. Requests
 * and plans are stored as JSON by their codecs.
 */
export interface Saga<Request = unknown, Plan = unknown> {
  /** Its name in the table, in history and in checkpoints: `prediction_buy`. */
  readonly action: HandledAction;
  /** Codec of its requests and plans. */
  readonly codec: OperationCodec<Request, Plan>;
  /** Describes the operation for history; `plan` is undefined before the first step. */
  describe(request: Request, plan: Plan | undefined): OperationDescription;
  /**
   * Takes the saga one step on from its stored state. Another process may have died in the middle of the same step, so
   * its upstream calls are repeatable under the same name. It may wait for a reasonable time.
   * @param signal ends when the operation is in other hands: nothing more of this call is written
   * @throws any error when it says nothing: it is called again with the row as it is then, after a pause that grows
   */
  advance(operation: SagaInput<Request, Plan>, signal: AbortSignal): Promise<SagaStep<Plan>>;
  /** Explains what upstreams report and what ends the operation. Only reads. */
  explain?(operation: SagaInput<Request, Plan>): Promise<SagaExplanation>;
  /**
   * Hands on once more what is on its way, which changes nothing.
   * @returns its signature in base58; empty while it is not known
   */
  resend?(operation: SagaInput<Request, Plan>): Promise<string>;
}

/** A handler of the engine: one message on chain, or several steps. */
export type Handler<Request = unknown, Plan = unknown> = OperationHandler<Request, Plan> | Saga<Request, Plan>;

/** Reports whether a handler has several steps. */
export function isSaga<Request, Plan>(handler: Handler<Request, Plan>): handler is Saga<Request, Plan> {
  return 'advance' in handler;
}
