import { AppError, errorEntry, sleep } from '@agent-wallet/kernel';
import { toAppError } from '@agent-wallet/platform';
import { isSaga } from '../kinds.js';
import type { Preparation } from '../operation-kind.js';
import { type BuiltOperation, isDecided, type OperationRecord } from '../records/operation.js';
import { LeaseLost } from '../store/operation-store.js';
import { build, land, submit } from './chain-step.js';
import type { Machinery } from './machinery.js';
import { isSigned } from './outcome.js';
import { retryPauseMs } from './pace.js';
import { takeStep } from './saga-step.js';

const PREPARATIONS = 3;

/**
 * Drives an operation from where its row stands to its outcome. Whatever fails on the way without saying something
 * about the outcome is tried again from the row, for as long as the lease is ours.
 * @param note is told of every state that was written
 * @throws LeaseLost, or the signal's reason
 */
export async function drive(
  machinery: Machinery,
  start: OperationRecord,
  { note, signal }: { readonly note: (record: OperationRecord) => void; readonly signal: AbortSignal },
): Promise<OperationRecord> {
  let record = start;
  let failures = 0;
  for (let isStale = false; ; isStale = true) {
    try {
      if (isStale) record = await reload(machinery, record);
      while (!isDecided(record)) {
        signal.throwIfAborted();
        record = await advance(machinery, record, signal);
        failures = 0;
        note(record);
      }
      return record;
    } catch (error) {
      if (error instanceof LeaseLost || signal.aborted) throw error;
      machinery.tools.logger.warn({ err: error, operation: record.id }, 'an operation could not go on; it will');
      await sleep(retryPauseMs(machinery.tools.pace, failures), signal);
      failures += 1;
    }
  }
}

async function advance(machinery: Machinery, record: OperationRecord, signal: AbortSignal): Promise<OperationRecord> {
  const kind = machinery.kindOf(record);
  if (isSaga(kind)) return takeStep(machinery, record, { saga: kind, signal });
  if (!hasMessage(record)) return prepare(machinery, record, signal);
  return isSigned(record.attempt) ? land(machinery, record, signal) : submit(machinery, record);
}

function hasMessage(record: OperationRecord): record is BuiltOperation {
  return record.attempt !== undefined;
}

/** Nothing is stored or reserved yet, so whatever cannot be found out ends the operation. */
async function prepare(machinery: Machinery, record: OperationRecord, signal: AbortSignal): Promise<OperationRecord> {
  const preparation = await preparationOf(machinery, record, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    machinery.tools.logger.warn({ err: error, operation: record.id }, 'an operation could not be prepared');
    return { kind: 'impossible', plan: undefined, error: toAppError(error) } as const;
  });
  if (preparation.kind === 'ready') return build(machinery, record, preparation);
  const { kind, error } = preparation;
  const plan = kind === 'impossible' ? preparation.plan : undefined;
  return machinery.change(record, { state: 'failed', plan, error, isTold: kind === 'impossible' }, 'closed');
}

/** Upstream's moods are given a few chances. */
async function preparationOf(
  machinery: Machinery,
  record: OperationRecord,
  signal: AbortSignal,
): Promise<Preparation<unknown>> {
  const kind = machinery.chainKindOf(record);
  for (let tries = 1; ; tries += 1) {
    try {
      return await kind.prepare(record);
    } catch (error) {
      const mayPass = error instanceof AppError && errorEntry(error.code).retryable;
      if (!mayPass || error.code === 'UPSTREAM_TIMEOUT' || tries === PREPARATIONS) throw error;
      await sleep(retryPauseMs(machinery.tools.pace, tries - 1), signal);
    }
  }
}

/** The row as it is: a write whose answer was lost may have happened. */
async function reload({ tools }: Machinery, { id, fence }: OperationRecord): Promise<OperationRecord> {
  const record = await tools.store.load(id);
  if (record?.fence !== fence) throw new LeaseLost(id);
  return record;
}
