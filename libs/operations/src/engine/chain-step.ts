import { AppError, isRecovering } from '@agent-wallet/kernel';
import { decodeBase58, messageHash, networkFeeLamports, signatureText } from '@agent-wallet/solana';
import type { Failure, Preparation } from '../operation-kind.js';
import { cosignerOf } from '../records/cosigner.js';
import type { AttemptRecord, BuiltOperation, OperationRecord } from '../records/operation.js';
import { Alarm } from './alarm.js';
import { withLanded } from './landed.js';
import type { Machinery } from './machinery.js';
import { isSigned, type Outcome, readAttempt } from './outcome.js';
import { permission } from './permission.js';

/**
 * Takes an operation's message one state further: `built` → `submitted` → outcome. Each function writes what it found
 * and returns the operation as it is then; what says nothing about the outcome is thrown, and tried again from the row.
 */

/** Bytes of an Ed25519 signature. */
const SIGNATURE_BYTES = 64;

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
    // Whoever signs too stands in front of us, and pays.
    networkFeeLamports: cosignerOf(ready.intent) === undefined ? networkFeeLamports(ready.message) : 0n,
    sinceSlot: await sinceSlotOf(machinery, ready),
    signature: undefined,
    transaction: undefined,
    countersignature: undefined,
    slot: undefined,
    chainError: undefined,
    finalized: false,
    settled: false,
  };
  const built = await machinery.addAttempt(record, ready.plan, attempt);
  await machinery.at(built, 'after-build');
  return built;
}

/** Where a search for the transaction has to reach back to, should somebody else's signature name it. */
async function sinceSlotOf({ peers }: Machinery, { intent }: Ready): Promise<number | undefined> {
  return cosignerOf(intent) === undefined ? undefined : (await peers.chain.finalizedHead()).slot;
}

/** Gets the stored message permitted and signed, and stores the signed bytes before anyone sees them. */
export async function submit(machinery: Machinery, record: BuiltOperation): Promise<OperationRecord> {
  const answer = await permission(machinery, record).catch(async (error: unknown) => {
    if (!isRecovering(error) && (await isOver(machinery, record))) return { kind: 'over' as const };
    throw error;
  });
  switch (answer.kind) {
    case 'signed': {
      await machinery.at(record, 'after-signing');
      const { signature, transaction, countersignature } = answer;
      const signed = { state: 'submitted', signature, transaction, countersignature } as const;
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
  const alarm = new Alarm();
  // What was confirmed is confirmed by a new block: that is the moment to look.
  const leave = machinery.peers.newSlots?.onSlot(() => alarm.ring());
  try {
    return await lookUntilDecided(machinery, record, { alarm, signal });
  } finally {
    leave?.();
  }
}

async function lookUntilDecided(
  machinery: Machinery,
  record: BuiltOperation,
  { alarm, signal }: { readonly alarm: Alarm; readonly signal: AbortSignal },
): Promise<OperationRecord> {
  const { tools } = machinery;
  const others = new Set<string>();
  let known = record;
  for (let sentAtMs = -Infinity; ;) {
    if (performance.now() - sentAtMs >= tools.pace.resendMs) {
      sentAtMs = performance.now();
      await resend(machinery, record);
      // Whoever delivers often answers once it has landed.
      void machinery.deliveries.endOf(record.id)?.then(() => alarm.ring());
    }
    const outcome = await outcomeOf(machinery, known, others).catch((err: unknown) => {
      tools.logger.warn({ err, operation: record.id }, 'the chain could not be asked for an outcome');
      return { kind: 'open' as const };
    });
    if (outcome.kind === 'landed') {
      known = named(known, outcome.signature);
      if (outcome.error === null) {
        known = await withLanded(machinery, known, { slot: outcome.slot, signal });
        await machinery.at(record, 'after-landing');
      }
    }
    const decided = await decide(machinery, known, outcome);
    if (decided) return decided;
    await alarm.pause(known.attempt.signature ? tools.pace.lookMs : tools.pace.findMs, signal);
  }
}

/** The operation with its transaction's id, which is not known before it was found when somebody else signs first. */
function named(record: BuiltOperation, signature: string): BuiltOperation {
  const bytes = decodeBase58(signature, SIGNATURE_BYTES)!;
  return { ...record, attempt: { ...record.attempt, signature: bytes } };
}

/**
 * Writes the outcome that the chain proves; undefined while it proves none. A transaction that failed counts only
 * once that is final: its caller may do the same again with a new key, and in another fork it could still succeed.
 */
export async function decide(
  machinery: Machinery,
  record: BuiltOperation,
  outcome: Outcome,
): Promise<OperationRecord | undefined> {
  if (outcome.kind === 'open') return undefined;
  if (outcome.kind === 'dead') return expire(machinery, record);
  const { slot, error: chainError } = outcome;
  const finalized = outcome.commitment === 'finalized';
  const landed = named(record, outcome.signature);
  if (chainError === null) {
    const attempt = { state: 'landed', slot, finalized } as const;
    return machinery.change(landed, { state: 'confirmed', error: undefined, attempt }, 'visit');
  }
  if (!finalized) return undefined;
  const attempt = { state: 'failed', slot, finalized, chainError } as const;
  return machinery.change(landed, { state: 'failed', error: failure(machinery, landed, chainError), attempt }, 'visit');
}

/** Why a transaction that landed did nothing, with the id and the fee that the caller is owed. */
function failure(machinery: Machinery, record: BuiltOperation, error: string): AppError {
  const { networkFeeLamports } = record.attempt;
  const signature = signatureText(record.attempt.signature!);
  const failed = { signature, error, networkFeeLamports };
  const { code, message, details, data } = explained(machinery, record, failed) ?? new AppError('TRANSACTION_FAILED');
  return new AppError(code, {
    ...{ message, details },
    data: { ...data, signature, networkFeeLamports: networkFeeLamports.toString() },
  });
}

function explained(machinery: Machinery, record: BuiltOperation, failed: Failure): AppError | undefined {
  try {
    return machinery.chainKindOf(record).whyFailed?.(record, record.plan, failed);
  } catch (err) {
    machinery.tools.logger.error({ err, operation: record.id }, 'a failure could not be explained');
    return undefined;
  }
}

/** What the chain proves about the operation's signed message. @throws AppError of the chain */
export function outcomeOf({ peers }: Machinery, { attempt }: BuiltOperation, others?: Set<string>): Promise<Outcome> {
  if (!isSigned(attempt)) throw new Error('nothing was signed');
  return readAttempt(peers.chain, attempt, others);
}

/**
 * Sends the signed bytes once, or begins to hand them over. What becomes of that changes nothing: only the chain ends an
 * attempt.
 */
export async function resend(machinery: Machinery, record: BuiltOperation): Promise<void> {
  const kind = machinery.chainKindOf(record);
  const passed = () => machinery.at(record, 'after-broadcast');
  if (kind.deliver) return machinery.deliveries.begin(kind, record, passed);
  const { logger } = machinery.tools;
  const sent = await machinery.peers.chain.send(record.attempt.transaction!);
  if (sent.kind === 'rejected' || sent.kind === 'unknown') {
    logger.warn({ err: sent.cause, operation: record.id, outcome: sent.kind }, 'a transaction may not have been taken');
  }
  await passed();
}

/** Whether a message that was never sent can no longer land. False when that cannot be told, or it may have been sent. */
async function isOver({ peers, tools }: Machinery, record: BuiltOperation): Promise<boolean> {
  const { attempt } = record;
  if (tools.recovery?.mayHaveBeenSigned(record)) return false;
  const head = await peers.chain.finalizedHead({ maxAgeMs: tools.pace.resendMs }).catch(() => undefined);
  return head !== undefined && head.blockHeight > attempt.lastValidBlockHeight;
}

/** Ends an operation whose message is proven never to land. */
async function expire(machinery: Machinery, record: BuiltOperation): Promise<OperationRecord> {
  const attempt = { state: 'dead', finalized: true } as const;
  const why = await machinery
    .chainKindOf(record)
    .whyDead?.(record, record.plan)
    .catch(() => undefined);
  if (why) return machinery.change(record, { state: 'failed', error: why, attempt }, 'visit');
  return machinery.change(record, { state: 'expired', error: new AppError('TRANSACTION_EXPIRED'), attempt }, 'visit');
}
