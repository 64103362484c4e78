import { policyV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import { signatureText } from '@agent-wallet/solana';
import type { BuiltOperation, OperationRecord } from '../records/operation.js';
import { LeaseLost, type Visit } from '../store/operation-store.js';
import type { OperationRuntime } from '../runtime/operation-runtime.js';
import { decide, outcomeOf, resend } from './land.js';

/**
 * Finishes the work that remains after the caller has its response. It watches a confirmed transaction until it is
 * finalized and has policy settle or release the reservation. Operations are visited in batches, older ones less often,
 * until both are done.
 */
export async function close(runtime: OperationRuntime, records: readonly OperationRecord[]): Promise<void> {
  const visits = await Promise.all(records.map((record) => visit(runtime, record)));
  const found = visits.filter((each) => each !== undefined);
  if (found.length > 0) await runtime.tools.store.noteVisits(found);
}

const DONE: ReadonlySet<policyV1.Outcome> = new Set([
  policyV1.Outcome.OUTCOME_SETTLED,
  policyV1.Outcome.OUTCOME_FAILED,
  policyV1.Outcome.OUTCOME_EXPIRED,
]);

/** Returns undefined when another outcome was written or another worker has taken over. */
async function visit(runtime: OperationRuntime, record: OperationRecord): Promise<Visit | undefined> {
  if (!record.attempt) return undefined;
  const built: BuiltOperation = { ...record, attempt: record.attempt };
  const { logger } = runtime.tools;
  const settled = await isSettled(runtime, built).catch((err: unknown) => {
    const fields = { event: 'operation.settlement_failed', operationId: record.id, err } as const;
    logger.warn(fields, 'Operation not settled; retrying');
    return false;
  });
  // What is settled with this visit was read just now, and can hardly be final: the next visit looks.
  const isNew = settled && !record.attempt.settled;
  const finalized = isNew ? built.attempt.finalized : await checkFinality(runtime, built);
  if (finalized === undefined) return undefined;
  return { id: record.id, fence: record.fence, attempt: { ...record.attempt, finalized, settled } };
}

/** Returns {@link isFinal}, or false when that cannot be read, or undefined also when another worker has taken over. */
async function checkFinality(runtime: OperationRuntime, record: BuiltOperation): Promise<boolean | undefined> {
  try {
    return await isFinal(runtime, record);
  } catch (err) {
    if (err instanceof LeaseLost) return undefined;
    const fields = { event: 'operation.outcome_check_failed', operationId: record.id, err } as const;
    runtime.tools.logger.warn(fields, 'Operation outcome not checked; retrying');
    return false;
  }
}

/** Reports whether the outcome is final; undefined when it changed to another outcome, which is written. */
async function isFinal(runtime: OperationRuntime, record: BuiltOperation): Promise<boolean | undefined> {
  if (record.attempt.finalized) return true;
  const outcome = await outcomeOf(runtime, record);
  switch (outcome.kind) {
    case 'landed':
      if (outcome.error === null && isNamed(record, outcome)) return outcome.commitment === 'finalized';
      break;
    case 'open':
      // Rolled back, or asked of a node that lags: the same bytes do no harm.
      await resend(runtime, record);
      return false;
    case 'expired':
      break;
  }
  const fields = { event: 'operation.rolled_back', operationId: record.id, outcome: outcome.kind } as const;
  runtime.tools.logger.error(fields, 'Confirmed transaction was rolled back');
  return (await decide(runtime, record, outcome)) ? undefined : false;
}

/** Reports whether the transaction landed under the stored ID. A cosigner may have signed twice. */
function isNamed({ attempt }: BuiltOperation, { signature }: { readonly signature: string }): boolean {
  return attempt.signature !== undefined && signatureText(attempt.signature) === signature;
}

/**
 * Asks policy to read the outcome and to settle. Without a signature policy looks for the message among what the wallet has
 * landed, and proves that it never lands; an attempt that it does not know has nothing reserved.
 */
async function isSettled(runtime: OperationRuntime, record: BuiltOperation): Promise<boolean> {
  const { attempt } = record;
  if (attempt.settled) return true;
  const request: policyV1.SettleRequest = {
    ...runtime.permitName(record),
    message: Buffer.from(attempt.message),
    signature: Buffer.from(attempt.signature ?? []),
  };
  try {
    const { outcome } = await runtime.peers.policy.settle(request);
    return DONE.has(outcome);
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return true;
    throw error;
  }
}
