import { policyV1 } from '@agent-wallet/contracts';
import type { OperationRecord } from '../records/operation.js';
import { LeaseLost, type Visit } from '../store/operation-store.js';
import { decide, outcomeOf, resend } from './chain-step.js';
import type { Machinery } from './machinery.js';
import { type BuiltOperation, permission } from './permission.js';

/**
 * What is left to do once the caller has an answer: to watch a confirmed transaction until it is finalized, and to
 * have policy settle or release what was reserved. Operations are visited in batches, the older the rarer, until both
 * is done.
 */
export async function close(machinery: Machinery, records: readonly OperationRecord[]): Promise<void> {
  const visits = await Promise.all(records.map((record) => visit(machinery, record)));
  const found = visits.filter((each) => each !== undefined);
  if (found.length > 0) await machinery.tools.store.noteVisits(found);
}

const DONE: ReadonlySet<policyV1.Outcome> = new Set([
  policyV1.Outcome.OUTCOME_SETTLED,
  policyV1.Outcome.OUTCOME_FAILED,
  policyV1.Outcome.OUTCOME_DEAD,
]);

/** Undefined when another outcome was written, or another worker has taken over. */
async function visit(machinery: Machinery, record: OperationRecord): Promise<Visit | undefined> {
  if (!record.attempt) return undefined;
  const built: BuiltOperation = { ...record, attempt: record.attempt };
  const { logger } = machinery.tools;
  const finalized = await isFinal(machinery, built).catch((err: unknown) => {
    if (!(err instanceof LeaseLost)) logger.warn({ err, operation: record.id }, 'an outcome could not be watched');
    return err instanceof LeaseLost ? undefined : false;
  });
  if (finalized === undefined) return undefined;
  const settled = await isSettled(machinery, built).catch((err: unknown) => {
    logger.warn({ err, operation: record.id }, 'an operation could not be settled; it will be tried again');
    return false;
  });
  return { id: record.id, fence: record.fence, attempt: { ...record.attempt, finalized, settled } };
}

/** Whether the outcome is for ever; undefined when it turned into another one, which is written. */
async function isFinal(machinery: Machinery, record: BuiltOperation): Promise<boolean | undefined> {
  if (record.attempt.finalized) return true;
  const outcome = await outcomeOf(machinery, record);
  switch (outcome.kind) {
    case 'landed':
      if (outcome.error === null) return outcome.commitment === 'finalized';
      break;
    case 'open':
      // Rolled back, or asked of a node that lags: the same bytes do no harm.
      await resend(machinery, record);
      return false;
    case 'dead':
      break;
  }
  machinery.tools.logger.error({ operation: record.id, outcome: outcome.kind }, 'a confirmed transaction was undone');
  return (await decide(machinery, record, outcome)) ? undefined : false;
}

/** Asks policy to read the outcome and to settle. Policy finds a transaction by its signature, so one is needed. */
async function isSettled(machinery: Machinery, record: BuiltOperation): Promise<boolean> {
  const { attempt } = record;
  if (attempt.settled) return true;
  const signature = attempt.signature ?? (await signatureOfUnsent(machinery, record));
  if (!signature) return true;
  const { outcome } = await machinery.tools.policy.settle({
    operationId: record.id,
    step: attempt.step,
    attempt: attempt.attempt,
    message: Buffer.from(attempt.message),
    signature: Buffer.from(signature),
  });
  return DONE.has(outcome);
}

/**
 * The signature of a message that was never sent and never will be: what policy may have reserved for it can only be
 * released by its name. Undefined when policy has reserved nothing.
 */
async function signatureOfUnsent(machinery: Machinery, record: BuiltOperation): Promise<Uint8Array | undefined> {
  const answer = await permission(machinery, record);
  switch (answer.kind) {
    case 'signed':
      return answer.signature;
    case 'rejected':
      return undefined;
    case 'impossible':
      // Policy found out by itself that the attempt is over.
      if (answer.cause.code === 'PERMIT_CONFLICT') return undefined;
      throw answer.cause;
  }
}
