import type { Clock } from '@agent-wallet/kernel';
import { AppError } from '@agent-wallet/kernel';
import type { Logger, ServiceName } from '@agent-wallet/platform';
import type { Checkpoint, CheckpointPoint } from '../checkpoints.js';
import type { OperationKind } from '../operation-kind.js';
import type { OperationChain, OperationPolicy, OperationSigner } from '../ports.js';
import { operationEvent } from '../records/operation-event.js';
import type { AttemptRecord, OperationRecord } from '../records/operation.js';
import type { OperationStore } from '../store/operation-store.js';
import { Deliveries } from './deliveries.js';
import type { OperationPace } from './pace.js';

/** Everything that the parts of the engine work with. */
export interface Tools {
  /** Whose operations these are. */
  readonly source: ServiceName;
  readonly store: OperationStore;
  readonly policy: OperationPolicy;
  readonly signer: OperationSigner;
  readonly chain: OperationChain;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly checkpoint: Checkpoint;
  readonly pace: OperationPace;
  /** Called after every event that was committed. */
  readonly onEvent: () => void;
}

/** What is to be written: only what changes. */
export type Change = Partial<Pick<OperationRecord, 'state' | 'plan' | 'error'>> & {
  readonly attempt?: Partial<AttemptRecord>;
  /** False for an outcome that history is not told. */
  readonly isTold?: boolean;
};

/** Writes changes of operations, with the events that tell them. */
export class Machinery {
  readonly deliveries: Deliveries;

  constructor(
    readonly tools: Tools,
    private readonly kinds: ReadonlyMap<string, OperationKind>,
  ) {
    this.deliveries = new Deliveries(tools.logger);
  }

  /** The actions that this service knows how to drive. */
  get actions(): readonly string[] {
    return [...this.kinds.keys()];
  }

  /** The kind of an operation. @throws AppError INTERNAL_ERROR when this service has no such kind */
  kindOf({ action }: Pick<OperationRecord, 'action'>): OperationKind {
    const kind = this.kinds.get(action);
    if (!kind) throw new AppError('INTERNAL_ERROR', { cause: new Error(`no kind of operation is called ${action}`) });
    return kind;
  }

  /** Passes a named place. */
  at({ action }: Pick<OperationRecord, 'action'>, point: CheckpointPoint): Promise<void> {
    return this.tools.checkpoint(`${action}.${point}`);
  }

  /** Ends an operation that has not begun, so that it never does; undefined when it has begun. */
  async forbid(record: OperationRecord): Promise<OperationRecord | undefined> {
    const error = new AppError('TRANSACTION_EXPIRED');
    const forbidden: OperationRecord = { ...record, state: 'expired', error, revision: 1 };
    if (!(await this.tools.store.insertEnded(forbidden, this.#eventOf(forbidden)))) return undefined;
    this.tools.onEvent();
    return forbidden;
  }

  /** Stores the first attempt's message. From here on history knows the operation. @throws LeaseLost */
  async addAttempt(record: OperationRecord, plan: unknown, attempt: AttemptRecord): Promise<OperationRecord> {
    const next = { ...record, plan, attempt, revision: record.revision + 1 };
    await this.tools.store.addAttempt(next, attempt, this.#eventOf(next));
    this.tools.onEvent();
    return next;
  }

  /**
   * Writes a change and its event.
   * @param next what is left to do: see OperationStore.change
   * @throws LeaseLost
   */
  async change(record: OperationRecord, change: Change, next: 'open' | 'visit' | 'closed'): Promise<OperationRecord> {
    const { isTold = true, attempt, ...fields } = change;
    const changed: OperationRecord = {
      ...record,
      ...fields,
      attempt: record.attempt && { ...record.attempt, ...attempt },
      revision: record.revision + (isTold ? 1 : 0),
    };
    await this.tools.store.change(changed, isTold ? this.#eventOf(changed) : undefined, next);
    if (isTold) this.tools.onEvent();
    return changed;
  }

  #eventOf(record: OperationRecord) {
    return operationEvent(record, this.kindOf(record), this.tools);
  }
}
