import type { intentV1, policyV1 } from '@agent-wallet/contracts';
import type { OperationActionName } from '@agent-wallet/events';
import { AppError, type ErrorCode } from '@agent-wallet/kernel';
import type { DatabaseTransaction } from '@agent-wallet/platform';
import type { OperationState } from '../records/operation.js';
import type { OperationCodec } from './json-codec.js';

/** An action that history shows, or the step of another service's operation, which publishes no events. */
export type HandledAction = OperationActionName | 'move';

/** What of an operation its handler needs to know. */
export interface OperationInput<Request> {
  /** UUID. */
  readonly id: string;
  readonly agentId: string;
  readonly request: Request;
}

/** What an operation is prepared from. */
export interface PreparationInput<Request, Plan> extends OperationInput<Request> {
  /** What an owner was asked about: only what fits it is permitted now. Undefined where none was asked. */
  readonly plan?: Plan | undefined;
}

/** What finding out how to do an operation came to. */
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

/** What policy knows a message by. */
export interface PermitName {
  /** UUID. */
  readonly operationId: string;
  /** From 1. */
  readonly step: number;
  /** From 1, within the step. */
  readonly attempt: number;
}

/** What an operation moves of one asset. */
export interface DescribedAsset {
  /** Symbol, or what the caller wrote while that is not resolved. */
  readonly asset: string;
  /** Base units; absent while they are not known. */
  readonly amount?: bigint;
  readonly decimals: number;
}

/**
 * An operation as history shows it. One that moves several assets lists them: its record has no asset of its own, and
 * they stand in its metadata.
 */
export type OperationDescription = DescribedOperation &
  (
    | (DescribedAsset & { readonly assets?: undefined })
    | ({ readonly [Name in keyof DescribedAsset]?: undefined } & { readonly assets: readonly DescribedAsset[] })
  );

interface DescribedOperation {
  /** Recipient address; empty where there is none. */
  readonly to: string;
  /** What is specific to the action; no secrets. A bigint is published as a decimal string. */
  readonly metadata: Readonly<Record<string, unknown>>;
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
  /** The chain's own error as JSON text. */
  readonly error: string;
  /** What the network took of the wallet, or of the sponsor in its place; nothing when the cosigner paid. */
  readonly networkFeeLamports: bigint;
}

/**
 * Carries out one type of operation as one message on chain; declared by the service that owns it. Requests and plans are
 * stored as JSON by their codecs.
 */
export interface OperationHandler<Request = unknown, Plan = unknown> {
  /** Its name in the table, in history and in checkpoints: `transfer`. */
  readonly action: HandledAction;
  /** How its requests and plans are stored. */
  readonly codec: OperationCodec<Request, Plan>;
  /** Whether its changes are published as events; true when omitted. False where another operation's events cover it. */
  readonly emitsEvents?: boolean;
  /**
   * In whose name policy permits and settles its message, where that is a step of another service's operation; its own
   * name, when omitted. The same for the same plan.
   */
  permitScope?(operation: OperationInput<Request>, plan: Plan): PermitName;
  /**
   * Finds out what the request means now and builds the message. Only reads. It is called until its result is
   * stored, so at most one of its messages is ever signed.
   * @throws AppError when it could not be found out: the operation fails with it
   */
  prepare(operation: PreparationInput<Request, Plan>): Promise<Preparation<Plan>>;
  /**
   * The kind of spending that a freeze or a switch of the policy may forbid; undefined for what neither can. It is
   * checked when the operation cannot be done: what policy forbids is said before what the wallet lacks.
   */
  spending?(request: Request): policyV1.Spending | undefined;
  /** How history shows it; `plan` is undefined while the request is not resolved. */
  describe(request: Request, plan: Plan | undefined): OperationDescription;
  /**
   * What is known of the operation only now that its transaction is confirmed; it is added to the plan by the write that
   * publishes the confirmation. Only reads; after a crash it is called again. Undefined for nothing to add.
   * @throws any error when it could not be found out yet: it is tried again a few times, and then done without, because
   *   a confirmation waits for nothing else
   */
  landed?(operation: OperationInput<Request>, plan: Plan, landing: Landing): Promise<Partial<Plan> | undefined>;
  /**
   * A better reason than TRANSACTION_EXPIRED for a message that is proven never to land, where there is one: then the
   * operation ends `failed` with it.
   */
  explainExpiry?(operation: OperationInput<Request>, plan: Plan): Promise<AppError | undefined>;
  /**
   * A better error than TRANSACTION_FAILED for a message that landed with an error, where there is one. Only its code
   * and words: signature and network fee are added to its data. It only thinks; what it throws is TRANSACTION_FAILED.
   */
  explainFailure?(operation: OperationInput<Request>, plan: Plan, failure: Failure): AppError | undefined;
  /**
   * Hands the signed bytes to an upstream that sends them to the chain, instead of sending them to the node. It runs
   * beside the looks at the chain, at most once at a time for an operation, and again and again with the same bytes
   * until the outcome is known: its answer, its error or its silence changes nothing about that.
   */
  deliver?(operation: OperationInput<Request>, plan: Plan, transaction: Uint8Array): Promise<void>;
}

/** Errors that say that the request made no sense: history is not bothered with them. */
const INVALID: ReadonlySet<ErrorCode> = new Set(['VALIDATION_ERROR', 'INVALID_ADDRESS', 'UNKNOWN_TOKEN']);
/** The source of an unsafe transaction is not asked again automatically: the caller decides. */
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

/** A saga as it was last written. */
export interface SagaInput<Request, Plan> extends OperationInput<Request> {
  /** Undefined until the first step was written. */
  readonly plan: Plan | undefined;
  readonly state: OperationState;
}

/** What happens in the transaction that writes a step: all of it, or nothing. */
interface Writing<Plan> {
  /** The whole plan as it is from here on. */
  readonly plan: Plan;
  /**
   * What else becomes true with this step, by statements of this transaction alone. It is not begun when the lease is
   * lost. What it throws undoes the step; it may run again, so it keeps nothing in memory.
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
  /** The outcome, for good. */
  | (Writing<Plan | undefined> & {
      readonly kind: 'done';
      readonly state: 'confirmed' | 'failed' | 'rejected' | 'expired';
      /** What every caller is answered; there is one unless it is confirmed. */
      readonly error?: AppError;
    });

/** A saga in words, for the people who run the service. */
export interface SagaExplanation {
  /** What upstreams say of it, in a sentence. */
  readonly externalState: string;
  /** What will end it, in a sentence. */
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
  /** How its requests and plans are stored. */
  readonly codec: OperationCodec<Request, Plan>;
  /** How history shows it; `plan` is undefined before the first step. */
  describe(request: Request, plan: Plan | undefined): OperationDescription;
  /**
   * One step on from what is written. Another process may have died in the middle of the same step, so what it does
   * upstream is repeatable under the same name. It may wait within reason.
   * @param signal ends when the operation is in other hands: nothing more of this call is written
   * @throws any error when it says nothing: it is called again with the row as it is then, after a pause that grows
   */
  advance(operation: SagaInput<Request, Plan>, signal: AbortSignal): Promise<SagaStep<Plan>>;
  /** What upstreams say of it, and what will end it; only reads. */
  explain?(operation: SagaInput<Request, Plan>): Promise<SagaExplanation>;
  /**
   * Hands on once more what is on its way, which changes nothing.
   * @returns its signature in base58; empty while it is not known
   */
  resend?(operation: SagaInput<Request, Plan>): Promise<string>;
}

/** What an engine carries out: one message on chain, or several steps. */
export type Handler<Request = unknown, Plan = unknown> = OperationHandler<Request, Plan> | Saga<Request, Plan>;

/** Whether a handler has several steps. */
export function isSaga<Request, Plan>(handler: Handler<Request, Plan>): handler is Saga<Request, Plan> {
  return 'advance' in handler;
}
