import { AppError } from '@agent-wallet/kernel';
import { type LandingOutcome, messageHash, networkFeeLamports, readOutcome, signatureText } from '@agent-wallet/solana';
import type { Preparation } from '../operation-kind.js';
import type { AttemptRecord, OperationRecord } from '../records/operation.js';
import { withLanded } from './landed.js';
import type { Machinery } from './machinery.js';
import { pause } from './pause.js';
import { type BuiltOperation, permission } from './permission.js';

/**
 * Takes an operation's message one state further: `built` → `submitted` → outcome. Each function writes what it found
 * and returns the operation as it is then; what says nothing about the outcome is thrown, and tried again from the row.
 */

type Ready = Extract<Preparation<unknown>, { kind: 'ready' }>;

/** Stores a message before anyone is asked for anything. @throws LeaseLost */
export async function build(machinery: Machinery, record: OperationRecord, ready: Ready): Promise<OperationRecord> {
  const attempt: AttemptRecord = {
    step: 1,
    attempt: 1,
    state: 'built',
    intent: ready.intent,
    message: ready.message,
    messageHash: messageHash(ready.message),
    resolvedAddresses: ready.resolvedAddresses ?? [],
    lastValidBlockHeight: ready.lastValidBlockHeight,
    networkFeeLamports: networkFeeLamports(ready.message),
    sinceSlot: undefined,
    signature: undefined,
    transaction: undefined,
    slot: undefined,
    chainError: undefined,
    finalized: false,
    settled: false,
  };
  const built = await machinery.addAttempt(record, ready.plan, attempt);
  await machinery.at(built, 'after-build');
  return built;
}

/** Gets the stored message permitted and signed, and stores the signed bytes before anyone sees them. */
export async function submit(machinery: Machinery, record: BuiltOperation): Promise<OperationRecord> {
  const answer = await permission(machinery, record).catch(async (error: unknown) => {
    if (await isOver(machinery, record)) return { kind: 'over' as const };
    throw error;
  });
  switch (answer.kind) {
    case 'signed': {
      await machinery.at(record, 'after-signing');
      const { signature, transaction } = answer;
      const signed = { state: 'submitted', signature, transaction } as const;
      const submitted = await machinery.change(record, { state: 'submitted', attempt: signed }, 'open');
      await machinery.at(record, 'after-persisting');
      return submitted;
    }
    case 'refused': {
      // An earlier answer that was lost may have reserved under the policy of that time: to be settled.
      const attempt = { state: 'abandoned', finalized: true } as const;
      return machinery.change(record, { state: answer.state, error: answer.error, attempt }, 'visit');
    }
    case 'impossible': {
      const { cause } = answer;
      machinery.tools.logger.error({ err: cause, operation: record.id }, 'a message of ours was refused');
      const attempt = { state: 'abandoned', finalized: true } as const;
      return machinery.change(record, { state: 'failed', error: new AppError('INTERNAL_ERROR'), attempt }, 'visit');
    }
    case 'over':
      return expire(machinery, record);
  }
}

/** Sends the signed bytes, again and again the same, until the chain says what became of them. */
export async function land(
  machinery: Machinery,
  record: BuiltOperation,
  signal: AbortSignal,
): Promise<OperationRecord> {
  const { tools } = machinery;
  for (let sentAtMs = -Infinity; ;) {
    if (performance.now() - sentAtMs >= tools.pace.resendMs) {
      sentAtMs = performance.now();
      await resend(machinery, record);
      await machinery.at(record, 'after-broadcast');
    }
    const outcome = await outcomeOf(machinery, record).catch((err: unknown) => {
      tools.logger.warn({ err, operation: record.id }, 'the chain could not be asked for an outcome');
      return { kind: 'open' as const };
    });
    let known = record;
    if (outcome.kind === 'landed' && outcome.error === null) {
      known = await withLanded(machinery, record, { slot: outcome.slot, signal });
      await machinery.at(record, 'after-landing');
    }
    const decided = await decide(machinery, known, outcome);
    if (decided) return decided;
    await pause(tools.pace.lookMs, signal);
  }
}

/**
 * Writes the outcome that the chain proves; undefined while it proves none. A transaction that failed counts only
 * once that is final: its caller may do the same again with a new key, and in another fork it could still succeed.
 */
export async function decide(
  machinery: Machinery,
  record: BuiltOperation,
  outcome: LandingOutcome,
): Promise<OperationRecord | undefined> {
  if (outcome.kind === 'open') return undefined;
  if (outcome.kind === 'dead') return expire(machinery, record);
  const { slot } = outcome;
  const finalized = outcome.commitment === 'finalized';
  if (outcome.error === null) {
    const attempt = { state: 'landed', slot, finalized } as const;
    return machinery.change(record, { state: 'confirmed', error: undefined, attempt }, 'visit');
  }
  if (!finalized) return undefined;
  const attempt = { state: 'failed', slot, finalized, chainError: outcome.error } as const;
  return machinery.change(record, { state: 'failed', error: failure(record), attempt }, 'visit');
}

function failure({ attempt }: BuiltOperation): AppError {
  return new AppError('TRANSACTION_FAILED', {
    data: {
      signature: signatureText(attempt.signature!),
      networkFeeLamports: attempt.networkFeeLamports.toString(),
    },
  });
}

/** What the chain proves about the operation's signed message. @throws AppError of the chain */
export function outcomeOf({ tools }: Machinery, { attempt }: BuiltOperation): Promise<LandingOutcome> {
  const { lastValidBlockHeight } = attempt;
  return readOutcome(tools.chain, { signature: signatureText(attempt.signature!), lastValidBlockHeight });
}

/** Sends the signed bytes once. What the node says of it changes nothing: only the chain ends an attempt. */
export async function resend({ tools }: Machinery, { id, attempt }: BuiltOperation): Promise<void> {
  const sent = await tools.chain.send(attempt.transaction!);
  if (sent.kind === 'rejected' || sent.kind === 'unknown') {
    tools.logger.warn({ err: sent.cause, operation: id, outcome: sent.kind }, 'a transaction may not have been taken');
  }
}

/** Whether a message that was never sent can no longer land. False when that cannot be told. */
async function isOver({ tools }: Machinery, { attempt }: BuiltOperation): Promise<boolean> {
  const head = await tools.chain.finalizedHead({ maxAgeMs: tools.pace.resendMs }).catch(() => undefined);
  return head !== undefined && head.blockHeight > attempt.lastValidBlockHeight;
}

/** Ends an operation whose message is proven never to land. */
async function expire(machinery: Machinery, record: BuiltOperation): Promise<OperationRecord> {
  const attempt = { state: 'dead', finalized: true } as const;
  const why = await machinery
    .kindOf(record)
    .whyDead?.(record, record.plan)
    .catch(() => undefined);
  if (why) return machinery.change(record, { state: 'failed', error: why, attempt }, 'visit');
  return machinery.change(record, { state: 'expired', error: new AppError('TRANSACTION_EXPIRED'), attempt }, 'visit');
}
