import type { AppError } from '@agent-wallet/kernel';
import type { DatabaseTransaction } from '@agent-wallet/platform';
import type { OperationState } from '../records/operation.js';
import type { OperationDescription, OperationInput, OperationKind } from './operation-kind.js';
import type { OperationCodec } from './json-codec.js';

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
  readonly otherwise?: (refusal: AppError) => SagaStep<Plan> | undefined;
  /** Whether history is told; true when omitted. */
  readonly isTold?: boolean;
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
  /** What the outside world says of it, in a sentence. */
  readonly outside: string;
  /** What will end it, in a sentence. */
  readonly next: string;
}

/**
 * A kind of operation of several steps that its service carries out itself, each written before the next begins. It has
 * the leases, fences, take-overs, waiting callers and tombstones of every operation, and no message of its own. Requests
 * and plans are stored as JSON by their codecs.
 */
export interface SagaKind<Request = unknown, Plan = unknown> {
  /** Its name in the table, in history and in checkpoints: `prediction_buy`. */
  readonly action: string;
  /** How its requests and plans are stored. */
  readonly codec: OperationCodec<Request, Plan>;
  /** How history shows it; `plan` is undefined before the first step. */
  describe(request: Request, plan: Plan | undefined): OperationDescription;
  /**
   * One step on from what is written. Another process may have died in the middle of the same step, so what it does
   * outside is repeatable under the same name. It may wait within reason.
   * @param signal ends when the operation is in other hands: nothing more of this call is written
   * @throws whatever when it says nothing: it is called again with the row as it is then, after a pause that grows
   */
  advance(operation: SagaInput<Request, Plan>, signal: AbortSignal): Promise<SagaStep<Plan>>;
  /** What the outside says of it, and what will end it; only reads. */
  explain?(operation: SagaInput<Request, Plan>): Promise<SagaExplanation>;
  /**
   * Hands on once more what is on its way, which changes nothing.
   * @returns its signature in base58; empty while it is not known
   */
  resend?(operation: SagaInput<Request, Plan>): Promise<string>;
}

/** What an engine carries out: one message on chain, or several steps. */
export type Kind<Request = unknown, Plan = unknown> = OperationKind<Request, Plan> | SagaKind<Request, Plan>;

/** Whether a kind has several steps. */
export function isSaga<Request, Plan>(kind: Kind<Request, Plan>): kind is SagaKind<Request, Plan> {
  return 'advance' in kind;
}
