import type { policyV1, signerV1 } from '@agent-wallet/contracts';
import { AppError, type Clock, type Scheduler } from '@agent-wallet/kernel';
import type { EventRecord } from '@agent-wallet/events';
import type { Logger, ServiceName } from '@agent-wallet/platform';
import type { NewSlots, PriorityFees, SolanaChain } from '@agent-wallet/solana';
import { ATTRIBUTES, count, lasted, METRICS } from '@agent-wallet/telemetry';
import { type Handler, isSaga, type OperationHandler, type PermitName } from '../handlers/handler.js';
import { operationEvent, signedEvent } from './operation-event.js';
import { type AttemptRecord, type BuiltOperation, isDecided, type OperationRecord } from '../records/operation.js';
import type { Next, OperationStore, Write } from '../store/operation-store.js';
import type { Checkpoint } from './checkpoints.js';
import { Deliveries } from './deliveries.js';
import type { OperationTiming } from './timing.js';
import type { RecoveryGate } from './recovery-gate.js';

/*
 * What an operation needs of the others. A rejection with an AppError is the other's own answer; any other rejection means
 * that it is unknown whether it did the work.
 */

/** The policy service. A generated client fits. */
export interface OperationPolicy {
  authorize(request: policyV1.AuthorizeRequest): Promise<policyV1.AuthorizeResponse>;
  settle(request: policyV1.SettleRequest): Promise<policyV1.SettleResponse>;
  checkSpending(request: policyV1.CheckSpendingRequest): Promise<policyV1.CheckSpendingResponse>;
}

/** Policy, as far as it knows what became of approvals. A generated client fits. */
export interface OperationApprovals {
  getApprovalStates(request: policyV1.GetApprovalStatesRequest): Promise<policyV1.GetApprovalStatesResponse>;
}

/** The signer. A generated client fits. */
export interface OperationSigner {
  sign(request: signerV1.SignRequest): Promise<signerV1.SignResponse>;
}

/** The chain: it takes bytes, and says what became of them. */
export type OperationChain = Pick<
  SolanaChain,
  'send' | 'signatureStatus' | 'finalizedHead' | 'signaturesForAddress' | 'transaction'
>;

/** Peers of an operation on chain. */
export interface ChainPeers {
  readonly policy: OperationPolicy;
  readonly signer: OperationSigner;
  readonly chain: OperationChain;
  /** Hints that the chain moved on; without them it is looked at by the clock alone. */
  readonly newSlots?: Pick<NewSlots, 'onSlot'> | undefined;
  /** Hears of each message that expired, and offers more for the next. */
  readonly priority?: Pick<PriorityFees, 'noteExpiry'> | undefined;
}

/** Dependencies shared by the parts of the engine. */
export interface Tools {
  /** Whose operations these are. */
  readonly source: ServiceName;
  readonly store: OperationStore;
  /** Undefined where there are only sagas. */
  readonly peers: ChainPeers | undefined;
  /** Without, no operation waits for an approval: one that needs it fails. */
  readonly approvals?: OperationApprovals | undefined;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly checkpoint: Checkpoint;
  /** Undefined in a service that no recovery concerns. */
  readonly recovery?: Pick<RecoveryGate, 'held' | 'isClosed' | 'mayHaveBeenSigned'> | undefined;
  readonly timing: OperationTiming;
}

/** Changes to write: only the changed fields. */
type Change = Partial<Pick<OperationRecord, 'state' | 'plan' | 'error' | 'approval'>> & {
  readonly attempt?: Partial<AttemptRecord>;
  /** False for an outcome that is not published. */
  readonly publishesEvent?: boolean;
  readonly write?: Write | undefined;
};

/** Writes changes of operations, with the events that publish them. */
export class OperationRuntime {
  readonly deliveries: Deliveries;

  constructor(
    readonly tools: Tools,
    private readonly handlers: ReadonlyMap<string, Handler>,
  ) {
    this.deliveries = new Deliveries(tools.logger);
  }

  /** The actions that this service knows how to drive. */
  get actions(): readonly string[] {
    return [...this.handlers.keys()];
  }

  /** Peers of operations on chain. @throws Error where there are only sagas */
  get peers(): ChainPeers {
    const { peers } = this.tools;
    if (!peers) throw new Error('these operations have nothing to do on chain');
    return peers;
  }

  /** Returns the handler of an operation. @throws AppError INTERNAL_ERROR when this service does not have it */
  handlerOf({ action }: Pick<OperationRecord, 'action'>): Handler {
    const handler = this.handlers.get(action);
    if (!handler)
      throw new AppError('INTERNAL_ERROR', { cause: new Error(`no kind of operation is called ${action}`) });
    return handler;
  }

  /** Returns the handler of an operation that is a message on chain. @throws AppError INTERNAL_ERROR for any other */
  chainHandlerOf({ action }: Pick<OperationRecord, 'action'>): OperationHandler {
    const handler = this.handlerOf({ action });
    if (isSaga(handler))
      throw new AppError('INTERNAL_ERROR', { cause: new Error(`${action} has no message of its own`) });
    return handler;
  }

  /** Returns the name by which policy identifies an operation's message. */
  permitName(record: BuiltOperation): PermitName {
    const { step, attempt } = record.attempt;
    return this.chainHandlerOf(record).permitScope?.(record, record.plan) ?? { operationId: record.id, step, attempt };
  }

  /** Passes a named place. */
  at({ action }: Pick<OperationRecord, 'action'>, point: string): Promise<void> {
    return this.tools.checkpoint(`${action}.${point}`);
  }

  /** Ends an operation that has not begun, so that it never does; undefined when it has begun. */
  async forbid(record: OperationRecord): Promise<OperationRecord | undefined> {
    const error = new AppError('TRANSACTION_EXPIRED');
    const [forbidden, event] = this.#withEvent({ ...record, state: 'expired', error });
    if (!(await this.tools.store.insertEnded(forbidden, event))) return undefined;
    countChange(forbidden);
    return forbidden;
  }

  /** Stores an attempt's message. From the first on history knows the operation. @throws LeaseLost */
  async addAttempt(record: OperationRecord, plan: unknown, attempt: AttemptRecord): Promise<OperationRecord> {
    const [next, event] = this.#withEvent({ ...record, state: 'pending', plan, attempt });
    await this.tools.store.addAttempt(next, attempt, event);
    return next;
  }

  /**
   * Writes a change, its event, and what else becomes true with it.
   * @param next what is left to do: see OperationStore.change
   * @throws LeaseLost; what the change's `write` throws, and then nothing is written
   */
  async change(record: OperationRecord, change: Change, next: Next): Promise<OperationRecord> {
    const { publishesEvent = true, write, attempt, ...fields } = change;
    const whole = { ...record, ...fields, attempt: record.attempt && { ...record.attempt, ...attempt } };
    const [changed, event] = publishesEvent ? this.#withEvent(whole) : [whole, undefined];
    await this.tools.store.change(changed, { event, next, write });
    if (changed.state !== record.state) countChange(changed);
    if (isDecided(changed) && !isDecided(record)) noteDuration(changed, this.tools.clock);
    return changed;
  }

  /**
   * Returns the operation with its next revision, and the event that publishes it. Without events, the record is
   * unchanged.
   */
  #withEvent(record: OperationRecord): [OperationRecord, EventRecord | undefined] {
    const handler = this.handlerOf(record);
    if (!isSaga(handler) && handler.emitsEvents === false) {
      const name = hasBeenSigned(record) ? this.permitName(record) : undefined;
      return [record, name && signedEvent(record, name, this.tools)];
    }
    const published = { ...record, revision: record.revision + 1 };
    return [published, operationEvent(published, handler, this.tools)];
  }
}

/** Reports whether this change stores the signatures. */
function hasBeenSigned(record: OperationRecord): record is BuiltOperation {
  return record.state === 'submitted' && record.attempt !== undefined;
}

function countChange(record: OperationRecord): void {
  count(METRICS.operationChanges, { attributes: labelsOf(record) });
}

function noteDuration(record: OperationRecord, clock: Clock): void {
  const seconds = (clock.nowMs() - record.createdAtMs) / 1_000;
  lasted(METRICS.operationDuration, { seconds, attributes: labelsOf(record) });
}

function labelsOf({ action, state }: OperationRecord) {
  return { [ATTRIBUTES.action.name]: action, [ATTRIBUTES.state.name]: state };
}
