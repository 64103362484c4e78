import { AppError, sleep } from '@agent-wallet/kernel';
import {
  type CosignedOutcome,
  decodeBase58,
  readCosignedOutcome,
  readOutcome,
  signatureText,
  splitTransaction,
} from '@agent-wallet/solana';
import type { Failure } from '../handlers/handler.js';
import {
  type BuiltOperation,
  cosignerOf,
  isSigned,
  type OperationRecord,
  type SignedAttempt,
} from '../records/operation.js';
import { Alarm, retryPauseMs } from '../runtime/timing.js';
import type { Machinery, OperationChain } from '../runtime/machinery.js';

/*
 * What becomes of a signed message. What is found is written, and the operation is returned as it is then. What says nothing
 * about the outcome is thrown, and tried again from the row.
 */

/** Bytes of an Ed25519 signature. */
const SIGNATURE_BYTES = 64;

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
    return await pollUntilDecided(machinery, record, { alarm, signal });
  } finally {
    leave?.();
  }
}

async function pollUntilDecided(
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
    await alarm.pause(known.attempt.signature ? tools.pace.pollIntervalMs : tools.pace.findMs, signal);
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
    return machinery.chainHandlerOf(record).whyFailed?.(record, record.plan, failed);
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
  const handler = machinery.chainHandlerOf(record);
  const passed = () => machinery.at(record, 'after-broadcast');
  if (handler.deliver) return machinery.deliveries.begin(handler, record, passed);
  const { logger } = machinery.tools;
  const sent = await machinery.peers.chain.send(record.attempt.transaction!);
  if (sent.kind === 'rejected' || sent.kind === 'unknown') {
    logger.warn({ err: sent.cause, operation: record.id, outcome: sent.kind }, 'a transaction may not have been taken');
  }
  await passed();
}

/** Ends an operation whose message is proven never to land. */
export async function expire(machinery: Machinery, record: BuiltOperation): Promise<OperationRecord> {
  const attempt = { state: 'dead', finalized: true } as const;
  const why = await machinery
    .chainHandlerOf(record)
    .whyDead?.(record, record.plan)
    .catch(() => undefined);
  if (why) return machinery.change(record, { state: 'failed', error: why, attempt }, 'visit');
  return machinery.change(record, { state: 'expired', error: new AppError('TRANSACTION_EXPIRED'), attempt }, 'visit');
}

/** A node that knows that a transaction landed may not show it yet; the caller waits meanwhile. */
const READ_TRIES = 3;

/**
 * The operation with what its handler reads from the transaction that landed. Nothing is written yet. Money has moved, so
 * what cannot be read is done without.
 * @throws the signal's reason
 */
async function withLanded(
  machinery: Machinery,
  record: BuiltOperation,
  { slot, signal }: { readonly slot: number; readonly signal: AbortSignal },
): Promise<BuiltOperation> {
  const handler = machinery.chainHandlerOf(record);
  if (!handler.landed) return record;
  const landing = { signature: signatureText(record.attempt.signature!), slot };
  for (let tries = 1; ; tries += 1) {
    try {
      const found = await handler.landed(record, record.plan, landing);
      return found ? { ...record, plan: { ...(record.plan as object), ...found } } : record;
    } catch (err) {
      const { logger, pace } = machinery.tools;
      logger.warn({ err, operation: record.id }, 'a transaction that landed could not be read');
      if (tries === READ_TRIES) return record;
      await sleep(retryPauseMs(pace, tries - 1), signal);
    }
  }
}

/** What the chain proves of a signed message; a landing tells the transaction's id. */
export type Outcome = CosignedOutcome;

/**
 * Asks the chain what became of a signed message.
 * @param others see `readCosignedOutcome`
 * @throws AppError of the chain; it proves nothing
 */
export async function readAttempt(
  chain: OperationChain,
  attempt: SignedAttempt,
  others?: Set<string>,
): Promise<Outcome> {
  const { intent, lastValidBlockHeight, sinceSlot = 0 } = attempt;
  const signature = attempt.signature && signatureText(attempt.signature);
  if (cosignerOf(intent) === undefined) {
    if (signature === undefined) throw new Error('a transaction of our own has no id');
    const outcome = await readOutcome(chain, { signature, lastValidBlockHeight });
    return outcome.kind === 'landed' ? { ...outcome, signature } : outcome;
  }
  const ownSignature = signatureText(ownSignatureOf(attempt));
  const awaited = { wallet: intent.wallet, ownSignature, signature, sinceSlot, lastValidBlockHeight };
  return readCosignedOutcome(chain, awaited, others);
}

/** Whoever signs too stands in front of the wallet. */
function ownSignatureOf({ transaction }: SignedAttempt): Uint8Array {
  return splitTransaction(transaction).signatures[1]!;
}
