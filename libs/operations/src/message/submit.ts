import { AppError, type ErrorCode, errorEntry, isRecovering, isUuid, sleep } from '@agent-wallet/kernel';
import { toAppError } from '@agent-wallet/platform';
import { assembleVerified, messageHash, networkFeeLamports, splitTransaction } from '@agent-wallet/solana';
import { policyV1, type signerV1 } from '@agent-wallet/contracts';
import type { Preparation } from '../handlers/handler.js';
import { prepareAllowed } from '../handlers/prepare-allowed.js';
import {
  type AttemptRecord,
  type BuiltOperation,
  cosignerOf,
  type OperationRecord,
  payerOf,
  type RecordedCountersignature,
  type RequestedApproval,
} from '../records/operation.js';
import { conflictWithApproval, park, requestedApproval } from './await-approval.js';
import { expire } from './land.js';
import type { OperationRuntime, OperationSigner } from '../runtime/operation-runtime.js';
import { retryPauseMs } from '../runtime/timing.js';

/*
 * From a request to signed bytes: each function writes what it found and returns the operation as it is then. What says
 * nothing about the outcome is thrown, and tried again from the row.
 */

const { PermitClaims } = policyV1;

const PREPARATIONS = 3;
/** A permit may be too old by the time it reaches the signer; then another one helps. */
const PERMIT_TRIES = 2;

/** Length of an Ed25519 key. */
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** Prepares the operation. Nothing is stored or reserved yet, so any unanswered question ends the operation. */
export async function prepare(
  runtime: OperationRuntime,
  record: OperationRecord,
  signal: AbortSignal,
): Promise<OperationRecord> {
  const preparation = await preparationOf(runtime, record, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    return notPrepared(runtime, record, error);
  });
  if (preparation.kind === 'ready') return build(runtime, record, preparation);
  const { kind, error } = preparation;
  const plan = kind === 'impossible' ? preparation.plan : undefined;
  const state = error.code === 'POLICY_VIOLATION' ? 'rejected' : 'failed';
  return runtime.change(record, { state, plan, error, publishesEvent: kind === 'impossible' }, 'closed');
}

/** Turns the error into a failed preparation. An error that the caller caused is not worth a warning. */
function notPrepared({ tools: { logger } }: OperationRuntime, { id: operationId }: OperationRecord, cause: unknown) {
  const error = toAppError(cause);
  const fields = { operationId, err: cause };
  if (errorEntry(error.code).http < 500)
    logger.info({ event: 'operation.preparation_rejected', ...fields }, 'Operation cannot be prepared as requested');
  else logger.warn({ event: 'operation.preparation_failed', ...fields }, 'Operation could not be prepared');
  return { kind: 'impossible', plan: undefined, error } as const;
}

/** Prepares the operation, and retries temporary upstream errors a few times. */
async function preparationOf(
  runtime: OperationRuntime,
  record: OperationRecord,
  signal: AbortSignal,
): Promise<Preparation<unknown>> {
  const handler = runtime.chainHandlerOf(record);
  for (let tries = 1; ; tries += 1) {
    try {
      return await prepareAllowed(handler, runtime.peers.policy, record);
    } catch (error) {
      const mayPass = error instanceof AppError && errorEntry(error.code).retryable;
      if (!mayPass || error.code === 'UPSTREAM_TIMEOUT' || tries === PREPARATIONS) throw error;
      const { timing, scheduler } = runtime.tools;
      await sleep(retryPauseMs(timing, tries - 1), signal, scheduler);
    }
  }
}

type Ready = Extract<Preparation<unknown>, { kind: 'ready' }>;

/** Stores a message before anyone is asked for anything: the first, or the one after an approval. @throws LeaseLost */
async function build(runtime: OperationRuntime, record: OperationRecord, ready: Ready): Promise<OperationRecord> {
  const attempt: AttemptRecord = {
    step: 1,
    attempt: (record.attempt?.attempt ?? 0) + 1,
    state: 'built',
    intent: ready.intent,
    message: ready.message,
    messageHash: messageHash(ready.message),
    resolvedAddresses: ready.resolvedAddresses ?? [],
    lastValidBlockHeight: ready.lastValidBlockHeight,
    // The cosigner is the first signer and pays the fee.
    networkFeeLamports: cosignerOf(ready.intent) === undefined ? networkFeeLamports(ready.message) : 0n,
    sinceSlot: await sinceSlotOf(runtime, ready),
    signature: undefined,
    transaction: undefined,
    countersignature: undefined,
    slot: undefined,
    chainError: undefined,
    finalized: false,
    settled: false,
  };
  const built = await runtime.addAttempt(record, ready.plan, attempt);
  await runtime.at(built, 'after-build');
  return built;
}

/** Returns the slot from which to search for the transaction when the cosigner's signature names it. */
async function sinceSlotOf({ peers }: OperationRuntime, { intent }: Ready): Promise<number | undefined> {
  return cosignerOf(intent) === undefined ? undefined : (await peers.chain.finalizedHead()).slot;
}

/** Gets the stored message permitted and signed, and stores the signed bytes before anyone sees them. */
export async function submit(runtime: OperationRuntime, record: BuiltOperation): Promise<OperationRecord> {
  const answer = await permission(runtime, record).catch(async (error: unknown) => {
    if (!isRecovering(error) && (await isOver(runtime, record))) return { kind: 'over' as const };
    throw error;
  });
  switch (answer.kind) {
    case 'signed': {
      await runtime.at(record, 'after-signing');
      const { signature, transaction, countersignature } = answer;
      const signed = { state: 'submitted', signature, transaction, countersignature } as const;
      const submitted = await runtime.change(record, { state: 'submitted', attempt: signed }, 'open');
      await runtime.at(record, 'after-persisting');
      return submitted;
    }
    case 'refused': {
      // An earlier answer that was lost may have reserved under the policy of that time: to be settled.
      const attempt = { state: 'abandoned', finalized: true } as const;
      return runtime.change(record, { state: answer.state, error: answer.error, attempt }, 'visit');
    }
    case 'impossible': {
      const { cause } = answer;
      const fields = { event: 'operation.message_rejected', operationId: record.id, err: cause } as const;
      runtime.tools.logger.error(fields, 'Message refused although this service built it');
      const attempt = { state: 'abandoned', finalized: true } as const;
      return runtime.change(record, { state: 'failed', error: new AppError('INTERNAL_ERROR'), attempt }, 'visit');
    }
    case 'awaiting':
      return park(runtime, record, answer.approval);
    case 'over':
      return expire(runtime, record);
  }
}

/**
 * Reports whether a message that was never sent can no longer land. False when that is unknown, or when it may have
 * been sent.
 */
async function isOver({ peers, tools }: OperationRuntime, record: BuiltOperation): Promise<boolean> {
  const { attempt } = record;
  if (tools.recovery?.mayHaveBeenSigned(record)) return false;
  const head = await peers.chain.finalizedHead({ maxAgeMs: tools.timing.resendMs }).catch(() => undefined);
  return head !== undefined && head.blockHeight > attempt.lastValidBlockHeight;
}

/** A message that was signed by us. */
interface Signed {
  readonly kind: 'signed';
  /** The transaction's first signature, which names it; undefined when that is the cosigner's. */
  readonly signature: Uint8Array | undefined;
  readonly transaction: Uint8Array;
  readonly countersignature: RecordedCountersignature | undefined;
}

/** Result of a signing request. Any other error proves nothing and is thrown. */
type Permission =
  | Signed
  /** Policy refused, or it cannot be done: the answer for the caller, and the state that the operation ends in. */
  | { readonly kind: 'refused'; readonly state: 'rejected' | 'expired' | 'failed'; readonly error: AppError }
  /** An owner was asked, and nothing is reserved. */
  | { readonly kind: 'awaiting'; readonly approval: RequestedApproval }
  /** Policy cannot grant it, or the signer will never sign it: a fault of this service. */
  | { readonly kind: 'impossible'; readonly cause: AppError };

/** Errors of policy that the caller gets, with the state in which each ends the operation. */
const REFUSALS: Partial<Record<ErrorCode, 'rejected' | 'expired' | 'failed'>> = {
  POLICY_VIOLATION: 'rejected',
  APPROVAL_REJECTED: 'rejected',
  APPROVAL_EXPIRED: 'expired',
  INSUFFICIENT_FUNDS: 'failed',
  INVALID_ADDRESS: 'failed',
};

/** Gets the stored message permitted and signed: the same bytes give the same reservation and the same signatures. */
async function permission(runtime: OperationRuntime, record: BuiltOperation): Promise<Permission> {
  for (let tries = 1; ; tries += 1) {
    const permit = await authorize(runtime, record);
    if ('kind' in permit) return permit;
    await runtime.at(record, 'after-reservation');
    try {
      return await sign(runtime, record, permit);
    } catch (error) {
      if (!(error instanceof AppError) || errorEntry(error.code).retryable) throw error;
      if (tries === PERMIT_TRIES) return { kind: 'impossible', cause: error };
    }
  }
}

type Permit = NonNullable<Parameters<OperationSigner['sign']>[0]['permit']>;

async function authorize(runtime: OperationRuntime, record: BuiltOperation): Promise<Permit | Permission> {
  const { attempt } = record;
  try {
    const { permit } = await runtime.peers.policy.authorize({
      ...runtime.permitName(record),
      agentId: record.agentId,
      intent: attempt.intent,
      messageHash: Buffer.from(attempt.messageHash),
      // Policy judges a trade by itself: this service did not build it.
      ...(attempt.intent.action?.$case === 'swap' ? { message: Buffer.from(attempt.message) } : {}),
    });
    if (!permit) throw new Error('policy answered without a permit');
    return permit;
  } catch (error) {
    // Only a plain denial is an answer: a temporary error can have reserved.
    if (!(error instanceof AppError) || errorEntry(error.code).retryable) throw error;
    const approval = requestedApproval(error);
    if (approval && isStep(runtime, record)) return { kind: 'refused', state: 'rejected', error };
    if (approval && runtime.tools.approvals) return { kind: 'awaiting', approval };
    const refusal = conflictWithApproval(record, error) ?? error;
    const state = REFUSALS[refusal.code];
    return state ? { kind: 'refused', state, error: refusal } : { kind: 'impossible', cause: error };
  }
}

/** Reports whether policy permits the operation in the name of another one, which waits for its approval. */
function isStep(runtime: OperationRuntime, record: BuiltOperation): boolean {
  return runtime.chainHandlerOf(record).permitScope !== undefined;
}

async function sign({ peers }: OperationRuntime, { attempt }: BuiltOperation, permit: Permit): Promise<Permission> {
  const { message, intent } = attempt;
  const { signature, sponsorSignature, countersignature } = await peers.signer.sign({
    message: Buffer.from(message),
    permit,
    resolvedAddresses: attempt.resolvedAddresses.map((address) => Buffer.from(address)),
  });
  const signatures = new Map<string, Uint8Array>([[payerOf(intent), signature]]);
  if (intent.sponsor !== undefined && sponsorSignature) signatures.set(intent.sponsor, sponsorSignature);
  const cosigner = cosignerOf(intent);
  const transaction = assembleVerified(message, signatures, cosigner);
  if (!transaction) throw new Error('the signer did not answer the signatures of all who must sign');
  const [first] = splitTransaction(transaction).signatures;
  return {
    kind: 'signed',
    signature: cosigner === undefined ? first : undefined,
    transaction,
    // The permit was policy's to write, and the signer has read it.
    countersignature:
      countersignature && readCountersignature(PermitClaims.decode(permit.claims).permitId, countersignature),
  };
}

/**
 * Reads the signer's countersignature into the form that is stored and published. Its authenticity is checked by
 * verifiers of the signer: see libs/attestation.
 * @throws Error when a part is none: nothing of such an answer is used
 */
function readCountersignature(
  permitId: string,
  { ephemeralKey, signature }: signerV1.Countersignature,
): RecordedCountersignature {
  if (!isUuid(permitId)) throw new Error('the permit that the signer signed under has no id');
  if (ephemeralKey.length !== KEY_BYTES || signature.length !== SIGNATURE_BYTES) {
    const lengths = `${ephemeralKey.length} and ${signature.length} bytes`;
    throw new Error(`the signer answered a countersignature of ${lengths}; key and signature have 32 and 64`);
  }
  return { permitId, ephemeralKey, signature };
}
