import { AppError, newId, recovering, type Scheduler, sleep, systemScheduler, waitAtMost } from '@agent-wallet/kernel';
import { type BackgroundLoop, currentRequest, type Database, inRequest, startLoop } from '@agent-wallet/platform';
import { noCheckpoint } from '../runtime/checkpoints.js';
import { type Handler, isSaga } from '../handlers/handler.js';
import { isAwaitingApproval, isDecided, type OperationRecord } from '../records/operation.js';
import { OperationStore } from '../store/operation-store.js';
import { close } from '../message/close.js';
import { type ChainPeers, OperationRuntime, type Tools } from '../runtime/operation-runtime.js';
import { watchOperations } from '../store/watch-operations.js';
import { type OperationRecoveries, RecoveryGate } from '../runtime/recovery-gate.js';
import { DEFAULT_TIMING, type OperationTiming, retryPauseMs } from '../runtime/timing.js';
import { ActiveOperations } from './active-operations.js';
import { AwaitingOperations } from './awaiting-operations.js';
import { unreadableLog } from './unreadable-log.js';

/** Inputs of the engine. */
export interface OperationEngineOptions
  extends Omit<Tools, 'store' | 'timing' | 'checkpoint' | 'peers' | 'recovery' | 'scheduler'>, Partial<ChainPeers> {
  /** The service's schema, with the tables of `db/migrations` and the outbox. */
  readonly database: Database;
  /** Any but sagas need policy, signer and chain. */
  readonly handlers: readonly Handler[];
  readonly checkpoint?: Tools['checkpoint'];
  readonly timing?: Partial<OperationTiming>;
  /** Measures intervals; the machine's time when omitted. */
  readonly scheduler?: Scheduler | undefined;
  /** Source of recoveries; without it, the engine takes up every operation at once. */
  readonly recoveries?: OperationRecoveries | undefined;
}

/** A call to carry out one operation. */
export interface OperationCall<Request> {
  /** UUID, the same for every repeat. */
  readonly id: string;
  readonly agentId: string;
  /** Identical in every repeat. */
  readonly request: Request;
  /** Time to wait for the outcome. */
  readonly waitMs: number;
  /** Whether an operation that has not begun never may: it ends `expired` instead. Default false. */
  readonly cancelIfNotStarted?: boolean | undefined;
}

/** Operations taken in one search; look-ups of a batch share calls to the chain. */
const BATCH = 64;

/**
 * Carries out operations, each exactly once, through any crash: rows with leases in Postgres, any number of
 * replicas. Starts at once to take up what others left.
 */
export class OperationEngine {
  readonly #runtime: OperationRuntime;
  readonly #activeOperations: ActiveOperations;
  readonly #awaiting: AwaitingOperations;
  readonly #search: BackgroundLoop;
  readonly #options: OperationEngineOptions;
  readonly #timing: OperationTiming;
  readonly #scheduler: Scheduler;
  readonly #gauges: { stop(): void };
  readonly #recovery: RecoveryGate | undefined;
  #stopping = false;

  constructor(options: OperationEngineOptions) {
    const { database, handlers, checkpoint = noCheckpoint, logger, recoveries, scheduler = systemScheduler } = options;
    // Sagas move money to the treasury and back.
    const recovery = recoveries && new RecoveryGate(recoveries, handlers.every(isSaga), logger, scheduler);
    this.#recovery = recovery;
    const timing = { ...DEFAULT_TIMING, ...options.timing };
    const approvalInterval = { leastMs: timing.approvalMs, mostMs: timing.maxApprovalMs };
    const store = new OperationStore(database, handlers, timing.leaseMs, approvalInterval);
    this.#options = options;
    this.#timing = timing;
    this.#scheduler = scheduler;
    this.#runtime = new OperationRuntime(
      { ...options, store, timing, scheduler, checkpoint, recovery, peers: peersOf(options) },
      new Map(handlers.map((handler) => [handler.action, handler])),
    );
    this.#gauges = watchOperations(database);
    // What the operation has reserved is settled at once, not with the next search.
    this.#activeOperations = new ActiveOperations(this.#runtime, () => this.#search.wake());
    this.#awaiting = new AwaitingOperations(this.#runtime, (record) => this.#drive(record));
    const round = () => this.#takeUp();
    this.#search = startLoop({ name: 'operations', logger, idleMs: timing.searchMs, round, scheduler });
  }

  /**
   * Carries out an operation, or re-attaches to the one with this id, and waits for its outcome at most so long. The
   * wait ends nothing: an operation that is not decided then goes on.
   * @returns the operation as it is: see `isDecided`; at once where it waits for an approval
   * @throws AppError IDEMPOTENCY_MISMATCH for an id that is another's; SERVICE_UNAVAILABLE, INTERNAL_ERROR when this call
   *   certainly did not make it. To a first call they say that nothing happens; to a repeat they say nothing of what the
   *   calls before have made
   */
  async run<Request, Plan>(
    handler: Handler<Request, Plan>,
    call: OperationCall<Request>,
  ): Promise<OperationRecord<Request, Plan>> {
    const deadlineMs = this.#scheduler.nowMs() + call.waitMs;
    const accepted = await this.#accept(handler.action, call, deadlineMs);
    const record = await this.#outcome(accepted, deadlineMs);
    if (isDecided(record)) await this.#runtime.at(record, 'before-answering');
    return record as OperationRecord<Request, Plan>;
  }

  /** Goes on for a while, then hands what is left to the other replicas; callers that wait get what is known. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#gauges.stop();
    await Promise.all([this.#search.stop(), this.#awaiting.stop(), this.#recovery?.stop()]);
    await this.#activeOperations.handOver(this.#timing.graceMs);
  }

  /**
   * Makes the row, or finds it. A row that may or may not have been made must be found out about: the others would
   * carry it out, so the answer must not say that nothing happens.
   */
  async #accept(action: string, call: OperationCall<unknown>, deadlineMs: number): Promise<OperationRecord> {
    const record = newRecord(action, call, this.#options.clock.nowMs());
    await this.#recovery?.firstAnswer();
    for (let failures = 0; ; failures += 1) {
      try {
        if (this.#mayHaveBeenForgotten(call)) return await this.#attachForgotten(record);
        const made = call.cancelIfNotStarted ? await this.#runtime.forbid(record) : await this.#make(record);
        return made ?? (await this.#attach(record));
      } catch (error) {
        const isRefused = error instanceof AppError && (failures === 0 || error.code === 'IDEMPOTENCY_MISMATCH');
        const leftMs = deadlineMs - this.#scheduler.nowMs();
        if (isRefused) throw error;
        const fields = { event: 'operation.creation_unconfirmed', operationId: call.id, err: error } as const;
        this.#options.logger.warn(fields, 'Operation may not have been created; retrying');
        if (leftMs <= 0 || this.#stopping) return record;
        await sleep(Math.min(retryPauseMs(this.#timing, failures), leftMs), undefined, this.#scheduler);
      }
    }
  }

  async #make(record: OperationRecord): Promise<OperationRecord | undefined> {
    if (!(await this.#runtime.tools.store.insert(record))) return undefined;
    if (!this.#stopping) return this.#activeOperations.take(record).record;
    await this.#runtime.tools.store.release([record]);
    return record;
  }

  /** Reports whether a recovery forbids starting an operation, or claiming that it never started. */
  #mayHaveBeenForgotten({ agentId, cancelIfNotStarted }: OperationCall<unknown>): boolean {
    if (!this.#recovery) return false;
    const { isClosed, held } = this.#recovery;
    return isClosed || (cancelIfNotStarted === true && (held.all || held.agentIds.includes(agentId)));
  }

  /** Returns the stored operation as it is; starts nothing. */
  async #attachForgotten(asked: OperationRecord): Promise<OperationRecord> {
    if (!(await this.#runtime.tools.store.load(asked.id))) throw recovering();
    return this.#attach(asked);
  }

  async #attach(asked: OperationRecord): Promise<OperationRecord> {
    const found = await this.#load(asked.id);
    const { store } = this.#runtime.tools;
    if (found.agentId !== asked.agentId || !store.isSameRequest(found, asked))
      throw new AppError('IDEMPOTENCY_MISMATCH');
    if (isAwaitingApproval(found)) return (await this.#awaiting.goOnIfDecided(found)) ?? found;
    if (!isDecided(found)) this.#search.wake();
    return found;
  }

  #drive(record: OperationRecord): void {
    inRequest({ requestId: record.requestId, agentId: record.agentId }, () => this.#activeOperations.take(record));
  }

  /** Waits for the drive in this process, or watches the row while another replica drives it. */
  async #outcome(accepted: OperationRecord, deadlineMs: number): Promise<OperationRecord> {
    let record = accepted;
    while (!isDecided(record)) {
      const leftMs = deadlineMs - this.#scheduler.nowMs();
      if (leftMs <= 0) return record;
      const driven = this.#activeOperations.get(record.id);
      if (!driven && isAwaitingApproval(record)) return record;
      if (driven) {
        await waitAtMost(leftMs, driven.outcome, this.#scheduler);
        record = driven.record;
        if (isDecided(record)) return record;
        if (isAwaitingApproval(record) || this.#activeOperations.get(record.id) === driven) continue;
      }
      if (this.#stopping) return record;
      await sleep(Math.min(this.#timing.watchMs, leftMs), undefined, this.#scheduler);
      record = await this.#load(record.id).catch(() => record);
    }
    return record;
  }

  async #load(id: string): Promise<OperationRecord> {
    const found = await this.#runtime.tools.store.load(id);
    if (!found) throw new Error('the operation is not there');
    return found;
  }

  async #takeUp(): Promise<boolean> {
    const { store } = this.#runtime.tools;
    const unreadable = unreadableLog(this.#options.logger);
    const claimed = await store.claim(this.#runtime.actions, BATCH, { held: this.#recovery?.held, unreadable });
    claimed.filter((each) => !isDecided(each)).forEach((record) => this.#drive(record));
    await close(this.#runtime, claimed.filter(isDecided));
    return claimed.length === BATCH;
  }
}

/** @throws TypeError when a handler lacks those that it works with */
function peersOf(options: OperationEngineOptions): ChainPeers | undefined {
  const { handlers, policy, signer, chain, newSlots, priority } = options;
  if (policy && signer && chain) return { policy, signer, chain, newSlots, priority };
  const left = handlers.find((handler) => !isSaga(handler));
  if (left) throw new TypeError(`${left.action} needs policy, signer and chain`);
  return undefined;
}

function newRecord(action: string, call: OperationCall<unknown>, createdAtMs: number): OperationRecord {
  return {
    id: call.id,
    agentId: call.agentId,
    action,
    request: call.request,
    requestId: currentRequest()?.requestId ?? newId(),
    state: 'pending',
    revision: 0,
    plan: undefined,
    error: undefined,
    createdAtMs,
    fence: 1n,
    attempt: undefined,
  };
}
