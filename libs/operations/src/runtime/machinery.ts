import { AppError, type Clock } from '@agent-wallet/kernel';
import type { EventRecord } from '@agent-wallet/events';
import type { Logger, ServiceName } from '@agent-wallet/platform';
import type { NewSlots } from '@agent-wallet/solana';
import { ATTRIBUTES, count, lasted, METRICS } from '@agent-wallet/telemetry';
import type { OperationKind, PermitName } from '../kinds/operation-kind.js';
import { isSaga, type Kind } from '../kinds/saga-kind.js';
import { operationEvent, signedEvent } from './operation-event.js';
import { type AttemptRecord, type BuiltOperation, isDecided, type OperationRecord } from '../records/operation.js';
import type { Next, OperationStore, Write } from '../store/operation-store.js';
import type { Checkpoint } from './checkpoints.js';
import type { OperationChain, OperationPolicy, OperationSigner } from './peers.js';
import { Deliveries } from './deliveries.js';
import type { OperationPace } from './timing.js';
import type { RecoveryGate } from './recovery-gate.js';

/** Who takes part in what an operation does on chain. */
export interface ChainPeers {
  readonly policy: OperationPolicy;
  readonly signer: OperationSigner;
  readonly chain: OperationChain;
  /** Hints that the chain moved on; without them it is looked at by the clock alone. */
  readonly newSlots?: Pick<NewSlots, 'onSlot'> | undefined;
}

/** Everything that the parts of the engine work with. */
export interface Tools {
  /** Whose operations these are. */
  readonly source: ServiceName;
  readonly store: OperationStore;
  /** Undefined where there are only sagas. */
  readonly peers: ChainPeers | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly checkpoint: Checkpoint;
  /** Undefined where nobody is asked of recoveries. */
  readonly recovery?: Pick<RecoveryGate, 'held' | 'isClosed' | 'mayHaveBeenSigned'> | undefined;
  readonly pace: OperationPace;
}

/** What is to be written: only what changes. */
export type Change = Partial<Pick<OperationRecord, 'state' | 'plan' | 'error'>> & {
  readonly attempt?: Partial<AttemptRecord>;
  /** False for an outcome that history is not told. */
  readonly isTold?: boolean;
  readonly write?: Write | undefined;
};

/** Writes changes of operations, with the events that tell them. */
export class Machinery {
  readonly deliveries: Deliveries;

  constructor(
    readonly tools: Tools,
    private readonly kinds: ReadonlyMap<string, Kind>,
  ) {
    this.deliveries = new Deliveries(tools.logger);
  }

  /** The actions that this service knows how to drive. */
  get actions(): readonly string[] {
    return [...this.kinds.keys()];
  }

  /** Who takes part on chain. @throws Error where there are only sagas */
  get peers(): ChainPeers {
    const { peers } = this.tools;
    if (!peers) throw new Error('these operations have nothing to do on chain');
    return peers;
  }

  /** The kind of an operation. @throws AppError INTERNAL_ERROR when this service has no such kind */
  kindOf({ action }: Pick<OperationRecord, 'action'>): Kind {
    const kind = this.kinds.get(action);
    if (!kind) throw new AppError('INTERNAL_ERROR', { cause: new Error(`no kind of operation is called ${action}`) });
    return kind;
  }

  /** The kind of an operation that is a message on chain. @throws AppError INTERNAL_ERROR for any other */
  chainKindOf({ action }: Pick<OperationRecord, 'action'>): OperationKind {
    const kind = this.kindOf({ action });
    if (isSaga(kind)) throw new AppError('INTERNAL_ERROR', { cause: new Error(`${action} has no message of its own`) });
    return kind;
  }

  /** What policy knows an operation's message by. */
  permitName(record: BuiltOperation): PermitName {
    const { step, attempt } = record.attempt;
    return this.chainKindOf(record).permittedAs?.(record, record.plan) ?? { operationId: record.id, step, attempt };
  }

  /** Passes a named place. */
  at({ action }: Pick<OperationRecord, 'action'>, point: string): Promise<void> {
    return this.tools.checkpoint(`${action}.${point}`);
  }

  /** Ends an operation that has not begun, so that it never does; undefined when it has begun. */
  async forbid(record: OperationRecord): Promise<OperationRecord | undefined> {
    const error = new AppError('TRANSACTION_EXPIRED');
    const [forbidden, event] = this.#told({ ...record, state: 'expired', error });
    if (!(await this.tools.store.insertEnded(forbidden, event))) return undefined;
    countChange(forbidden);
    return forbidden;
  }

  /** Stores the first attempt's message. From here on history knows the operation. @throws LeaseLost */
  async addAttempt(record: OperationRecord, plan: unknown, attempt: AttemptRecord): Promise<OperationRecord> {
    const [next, event] = this.#told({ ...record, plan, attempt });
    await this.tools.store.addAttempt(next, attempt, event);
    return next;
  }

  /**
   * Writes a change, its event, and what else becomes true with it.
   * @param next what is left to do: see OperationStore.change
   * @throws LeaseLost; what the change's `write` throws, and then nothing is written
   */
  async change(record: OperationRecord, change: Change, next: Next): Promise<OperationRecord> {
    const { isTold = true, write, attempt, ...fields } = change;
    const whole = { ...record, ...fields, attempt: record.attempt && { ...record.attempt, ...attempt } };
    const [changed, event] = isTold ? this.#told(whole) : [whole, undefined];
    await this.tools.store.change(changed, { event, next, write });
    if (changed.state !== record.state) countChange(changed);
    if (isDecided(changed) && !isDecided(record)) noteDuration(changed, this.tools.clock);
    return changed;
  }

  /** The operation with the revision that history is told next, and the event that does; none for a quiet kind. */
  #told(record: OperationRecord): [OperationRecord, EventRecord | undefined] {
    const kind = this.kindOf(record);
    if (!isSaga(kind) && kind.isQuiet) {
      const name = hasBeenSigned(record) ? this.permitName(record) : undefined;
      return [record, name && signedEvent(record, name, this.tools)];
    }
    const told = { ...record, revision: record.revision + 1 };
    return [told, operationEvent(told, kind, this.tools)];
  }
}

/** Whether this is the change that keeps the signatures. */
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
