import { sleep, waitAtMost } from '@agent-wallet/kernel';
import { type BackgroundLoop, startLoop } from '@agent-wallet/platform';
import { ATTRIBUTES, inSpan } from '@agent-wallet/telemetry';
import {
  type BuiltOperation,
  isAwaitingApproval,
  isDecided,
  isSigned,
  type OperationRecord,
} from '../records/operation.js';
import { LeaseLost } from '../store/operation-store.js';
import type { OperationRuntime } from '../runtime/operation-runtime.js';
import { retryPauseMs } from '../runtime/timing.js';
import { isSaga } from '../handlers/handler.js';
import { goOn } from '../message/go-on.js';
import { prepare, submit } from '../message/submit.js';
import { land } from '../message/land.js';
import { takeStep } from './saga-step.js';

/** An operation that this process drives. */
interface Driven {
  /** As it was last written. */
  record: OperationRecord;
  /** The outcome; undefined when it went into other hands. Never rejects. */
  readonly outcome: Promise<OperationRecord | undefined>;
  readonly abort: AbortController;
}

/** The operations that this process drives: each at most once, and each with its lease kept alive. */
export class ActiveOperations {
  readonly #driven = new Map<string, Driven>();
  readonly #heartbeat: BackgroundLoop;

  /** @param onDecided is called when the outcome of a message was written here, which is then to be closed */
  constructor(
    private readonly runtime: OperationRuntime,
    private readonly onDecided: () => void,
  ) {
    const { timing, logger, scheduler } = runtime.tools;
    const round = () => this.#renew();
    const idleMs = timing.leaseMs / 3;
    this.#heartbeat = startLoop({ name: 'operation leases', logger, idleMs, round, scheduler });
  }

  /**
   * Returns the operation as last written and its pending outcome, or undefined when this process does not drive it.
   */
  get(id: string): Readonly<Pick<Driven, 'record' | 'outcome'>> | undefined {
    const driven = this.#driven.get(id);
    // A drive that lost its lease may hang in a call for long; it is not ours any more.
    return driven?.abort.signal.aborted ? undefined : driven;
  }

  /** Drives an operation whose lease we were given. */
  take(record: OperationRecord): Readonly<Pick<Driven, 'record' | 'outcome'>> {
    // A newer lease of our own: the older drive can write nothing any more.
    this.#driven.get(record.id)?.abort.abort(new LeaseLost(record.id));
    const abort = new AbortController();
    // Callers that wait are let go at once when the lease is, even if the drive is in the middle of a call.
    const lost = new Promise<undefined>((resolve) => abort.signal.addEventListener('abort', () => resolve(undefined)));
    const driven: Driven = {
      record,
      abort,
      outcome: Promise.race([Promise.resolve().then(() => this.#drive(driven)), lost]),
    };
    this.#driven.set(record.id, driven);
    return driven;
  }

  async #drive(driven: Driven): Promise<OperationRecord | undefined> {
    const note = (record: OperationRecord) => {
      driven.record = record;
    };
    try {
      const work = () => drive(this.runtime, driven.record, { note, signal: driven.abort.signal });
      const decided = await inSpan(spanOf(driven.record), work);
      if (decided.attempt && isDecided(decided)) this.onDecided();
      return decided;
    } catch (err) {
      const { logger } = this.runtime.tools;
      const operationId = driven.record.id;
      logger.info({ event: 'operation.handed_over', operationId, err }, 'Operation left to another worker');
      return undefined;
    } finally {
      if (this.#driven.get(driven.record.id) === driven) this.#driven.delete(driven.record.id);
    }
  }

  async #renew(): Promise<boolean> {
    const held = [...this.#driven.values()].filter(({ record }) => !isDecided(record));
    if (held.length === 0) return false;
    const lost = await this.runtime.tools.store.renew(held.map(({ record }) => record));
    for (const { record, abort } of held) {
      if (lost.has(record.id) && !isDecided(record)) abort.abort(new LeaseLost(record.id));
    }
    return false;
  }

  /** Lets operations go on for a while, then leaves the rest to other workers. */
  async handOver(graceMs: number): Promise<void> {
    const all = [...this.#driven.values()];
    await waitAtMost(graceMs, Promise.all(all.map(({ outcome }) => outcome)), this.runtime.tools.scheduler);
    const left = [...this.#driven.values()];
    await this.#heartbeat.stop();
    for (const { abort, record } of left) abort.abort(new LeaseLost(record.id));
    await this.runtime.tools.store.release(left.map(({ record }) => record));
  }
}

function spanOf({ id, action, agentId }: OperationRecord) {
  const attributes = {
    [ATTRIBUTES.operationId.name]: id,
    [ATTRIBUTES.action.name]: action,
    [ATTRIBUTES.agentId.name]: agentId,
  };
  return { name: `operation ${action}`, attributes };
}

/**
 * Drives an operation from where its row stands to its outcome, or until it waits for an approval. An error on the way that says nothing
 * about the outcome is tried again from the row, for as long as the lease is ours.
 * @param note receives every state that was written
 * @throws LeaseLost, or the signal's reason
 */
async function drive(
  runtime: OperationRuntime,
  start: OperationRecord,
  { note, signal }: { readonly note: (record: OperationRecord) => void; readonly signal: AbortSignal },
): Promise<OperationRecord> {
  let record = start;
  let failures = 0;
  for (let isStale = false; ; isStale = true) {
    try {
      if (isStale) record = await reload(runtime, record);
      while (!isDecided(record)) {
        signal.throwIfAborted();
        record = await advance(runtime, record, signal);
        failures = 0;
        note(record);
        if (isAwaitingApproval(record)) return record;
      }
      return record;
    } catch (error) {
      if (error instanceof LeaseLost || signal.aborted) throw error;
      const fields = { event: 'operation.step_failed', operationId: record.id, err: error } as const;
      runtime.tools.logger.warn(fields, 'Operation step failed; retrying');
      const { timing, scheduler } = runtime.tools;
      await sleep(retryPauseMs(timing, failures), signal, scheduler);
      failures += 1;
    }
  }
}

async function advance(
  runtime: OperationRuntime,
  record: OperationRecord,
  signal: AbortSignal,
): Promise<OperationRecord> {
  const handler = runtime.handlerOf(record);
  const step = isSaga(handler)
    ? () => takeStep(runtime, record, { saga: handler, signal })
    : () => prepare(runtime, record, signal);
  if (isAwaitingApproval(record)) return goOn(runtime, record, step);
  if (isSaga(handler) || !hasMessage(record)) return step();
  return isSigned(record.attempt) ? land(runtime, record, signal) : submit(runtime, record);
}

function hasMessage(record: OperationRecord): record is BuiltOperation {
  return record.attempt !== undefined;
}

/** Reloads the row, because a write may have succeeded although its response was lost. */
async function reload({ tools }: OperationRuntime, { id, fence }: OperationRecord): Promise<OperationRecord> {
  const record = await tools.store.load(id);
  if (record?.fence !== fence) throw new LeaseLost(id);
  return record;
}
