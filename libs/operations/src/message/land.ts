import { AppError, sleep } from '@agent-wallet/kernel';
import {
  type CosignedOutcome,
  decodeBase58,
  readCosignedOutcome,
  readOutcome,
  signatureText,
  splitTransaction,
} from '@agent-wallet/solana';
import { landedWithError } from './failed-transaction.js';
import type { Failure } from '../handlers/handler.js';
import {
  type BuiltOperation,
  cosignerOf,
  isSigned,
  type OperationRecord,
  type SignedAttempt,
} from '../records/operation.js';
import { WakeSignal, retryPauseMs } from '../runtime/timing.js';
import type { OperationRuntime, OperationChain } from '../runtime/operation-runtime.js';

/*
 * What becomes of a signed message. What is found is written, and the operation is returned as it is then. What says nothing
 * about the outcome is thrown, and tried again from the row.
 */

/** Bytes of an Ed25519 signature. */
const SIGNATURE_BYTES = 64;

/** Sends the signed bytes, again and again the same, until the chain says what became of them. */
export async function land(
  runtime: OperationRuntime,
  record: BuiltOperation,
  signal: AbortSignal,
): Promise<OperationRecord> {
  const wake = new WakeSignal(runtime.tools.scheduler);
  // What was confirmed is confirmed by a new block: that is the moment to look.
  const leave = runtime.peers.newSlots?.onSlot(() => wake.ring());
  try {
    return await pollUntilDecided(runtime, record, { wake, signal });
  } finally {
    leave?.();
  }
}

async function pollUntilDecided(
  runtime: OperationRuntime,
  record: BuiltOperation,
  { wake, signal }: { readonly wake: WakeSignal; readonly signal: AbortSignal },
): Promise<OperationRecord> {
  const { tools } = runtime;
  const others = new Set<string>();
  let known = record;
  for (let sentAtMs = -Infinity; ;) {
    if (tools.scheduler.nowMs() - sentAtMs >= tools.timing.resendMs) {
      sentAtMs = tools.scheduler.nowMs();
      await resend(runtime, record);
      // The deliverer often answers once it has landed.
      void runtime.deliveries.endOf(record.id)?.then(() => wake.ring());
    }
    const outcome = await outcomeOf(runtime, known, others).catch((err: unknown) => {
      const fields = { event: 'operation.outcome_check_failed', operationId: record.id, err } as const;
      tools.logger.warn(fields, 'Operation outcome not checked; retrying');
      return { kind: 'open' as const };
    });
    if (outcome.kind === 'landed') {
      known = named(known, outcome.signature);
      if (outcome.error === null) {
        known = await withLanded(runtime, known, { slot: outcome.slot, signal });
        await runtime.at(record, 'after-landing');
      }
    }
    const decided = await decide(runtime, known, outcome);
    if (decided) return decided;
    await wake.pause(known.attempt.signature ? tools.timing.pollIntervalMs : tools.timing.findMs, signal);
  }
}

/**
 * Returns the operation with its transaction's ID. When a cosigner signs first, the ID is unknown until the transaction
 * is found.
 */
function named(record: BuiltOperation, signature: string): BuiltOperation {
  const bytes = decodeBase58(signature, SIGNATURE_BYTES)!;
  return { ...record, attempt: { ...record.attempt, signature: bytes } };
}

/**
 * Writes the outcome that the chain proves; undefined while it proves none. A transaction that failed counts only
 * once that is final: its caller may do the same again with a new key, and in another fork it could still succeed.
 */
export async function decide(
  runtime: OperationRuntime,
  record: BuiltOperation,
  outcome: Outcome,
): Promise<OperationRecord | undefined> {
  if (outcome.kind === 'open') return undefined;
  if (outcome.kind === 'expired') return expire(runtime, record);
  const { slot, error: chainError } = outcome;
  const finalized = outcome.commitment === 'finalized';
  const landed = named(record, outcome.signature);
  if (chainError === null) {
    const attempt = { state: 'landed', slot, finalized } as const;
    return runtime.change(landed, { state: 'confirmed', error: undefined, attempt }, 'visit');
  }
  if (!finalized) return undefined;
  const attempt = { state: 'failed', slot, finalized, chainError } as const;
  return runtime.change(landed, { state: 'failed', error: failure(runtime, landed, chainError), attempt }, 'visit');
}

/** Returns the error of a transaction that landed without effect, with its ID and fee for the caller. */
function failure(runtime: OperationRuntime, record: BuiltOperation, error: string): AppError {
  const { networkFeeLamports } = record.attempt;
  const signature = signatureText(record.attempt.signature!);
  const { message } = record.attempt;
  const failed = { signature, message, error, networkFeeLamports };
  const explanation = explained(runtime, record, failed);
  return explanation.with({ signature, networkFeeLamports: networkFeeLamports.toString() });
}

/** Explains a failure. Never throws: the end of an operation must not depend on its explanation. */
function explained(runtime: OperationRuntime, record: BuiltOperation, failed: Failure): AppError {
  try {
    const { message, error } = failed;
    const known = runtime.chainHandlerOf(record).explainFailure?.(record, record.plan, failed);
    return known ?? landedWithError(message, error);
  } catch (err) {
    const fields = { event: 'operation.failure_unexplained', operationId: record.id, err } as const;
    runtime.tools.logger.error(fields, 'Failure could not be explained');
    return new AppError('TRANSACTION_FAILED');
  }
}

/** Reads what the chain proves about the operation's signed message. @throws AppError of the chain */
export function outcomeOf(
  { peers }: OperationRuntime,
  { attempt }: BuiltOperation,
  others?: Set<string>,
): Promise<Outcome> {
  if (!isSigned(attempt)) throw new Error('nothing was signed');
  return readAttempt(peers.chain, attempt, others);
}

/**
 * Sends the signed bytes once, or begins to hand them over. What becomes of that changes nothing: only the chain ends an
 * attempt.
 */
export async function resend(runtime: OperationRuntime, record: BuiltOperation): Promise<void> {
  const handler = runtime.chainHandlerOf(record);
  const passed = () => runtime.at(record, 'after-broadcast');
  if (handler.deliver) return runtime.deliveries.begin(handler, record, passed);
  const { logger } = runtime.tools;
  const sent = await runtime.peers.chain.send(record.attempt.transaction!);
  if (sent.kind === 'rejected' || sent.kind === 'unknown') {
    const fields = { operationId: record.id, outcome: sent.kind, err: sent.cause };
    logger.warn({ event: 'transaction.send_unconfirmed', ...fields }, 'Chain may not have accepted the transaction');
  }
  await passed();
}

/** Ends an operation whose message is proven never to land. */
export async function expire(runtime: OperationRuntime, record: BuiltOperation): Promise<OperationRecord> {
  const attempt = { state: 'expired', finalized: true } as const;
  const why = await runtime
    .chainHandlerOf(record)
    .explainExpiry?.(record, record.plan)
    .catch(() => undefined);
  if (why) return runtime.change(record, { state: 'failed', error: why, attempt }, 'visit');
  if (isSigned(record.attempt)) runtime.peers.priority?.noteExpiry();
  return runtime.change(record, { state: 'expired', error: new AppError('TRANSACTION_EXPIRED'), attempt }, 'visit');
}

/** A node that knows that a transaction landed may not show it yet; the caller waits meanwhile. */
const READ_TRIES = 3;

/**
 * Returns the operation with what its handler reads from the landed transaction. Nothing is written yet. Money has
 * moved, so an unreadable part is left out.
 * @throws the signal's reason
 */
async function withLanded(
  runtime: OperationRuntime,
  record: BuiltOperation,
  { slot, signal }: { readonly slot: number; readonly signal: AbortSignal },
): Promise<BuiltOperation> {
  const handler = runtime.chainHandlerOf(record);
  if (!handler.landed) return record;
  const landing = { signature: signatureText(record.attempt.signature!), slot };
  for (let tries = 1; ; tries += 1) {
    try {
      const found = await handler.landed(record, record.plan, landing);
      return found ? { ...record, plan: { ...(record.plan as object), ...found } } : record;
    } catch (err) {
      const { logger, timing, scheduler } = runtime.tools;
      const fields = { event: 'transaction.read_failed', operationId: record.id, err } as const;
      logger.warn(fields, 'Landed transaction could not be read');
      if (tries === READ_TRIES) return record;
      await sleep(retryPauseMs(timing, tries - 1), signal, scheduler);
    }
  }
}

/** The chain's proof about a signed message; a landing contains the transaction's ID. */
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

/** Returns the wallet's signature. The cosigner is the first signer, the wallet the second. */
function ownSignatureOf({ transaction }: SignedAttempt): Uint8Array {
  return splitTransaction(transaction).signatures[1]!;
}
