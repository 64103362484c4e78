import { policyV1 } from '@agent-wallet/contracts';
import { AppError, type ErrorCode, errorEntry } from '@agent-wallet/kernel';
import { assembleVerified, splitTransaction } from '@agent-wallet/solana';
import { cosignerOf, payerOf } from '../records/cosigner.js';
import type { OperationSigner } from '../ports.js';
import { readCountersignature } from '../records/countersignature.js';
import type { BuiltOperation, RecordedCountersignature } from '../records/operation.js';
import type { Machinery } from './machinery.js';

/** A message that was signed by us. */
interface Signed {
  readonly kind: 'signed';
  /** The transaction's first signature, which names it; undefined when that is somebody else's. */
  readonly signature: Uint8Array | undefined;
  readonly transaction: Uint8Array;
  readonly countersignature: RecordedCountersignature | undefined;
}

/** What asking for a signature came to. Everything else that can happen says nothing, and is thrown. */
export type Permission =
  | Signed
  /** Policy refused, or it cannot be done: the answer for the caller, and the state that the operation ends in. */
  | { readonly kind: 'refused'; readonly state: 'rejected' | 'failed'; readonly error: AppError }
  /** Policy cannot grant it, or the signer will not sign it, whatever is done: a fault of ours. */
  | { readonly kind: 'impossible'; readonly cause: AppError };

const { PermitClaims } = policyV1;

/** What policy answers that is the caller's to know, and how an operation ends with it. */
const REFUSALS: Partial<Record<ErrorCode, 'rejected' | 'failed'>> = {
  POLICY_VIOLATION: 'rejected',
  INSUFFICIENT_FUNDS: 'failed',
  INVALID_ADDRESS: 'failed',
};

/** A permit may be too old by the time it reaches the signer; then another one helps. */
const TRIES = 2;

/** Gets the stored message permitted and signed: the same bytes give the same reservation and the same signatures. */
export async function permission(machinery: Machinery, record: BuiltOperation): Promise<Permission> {
  for (let tries = 1; ; tries += 1) {
    const permit = await authorize(machinery, record);
    if ('kind' in permit) return permit;
    await machinery.at(record, 'after-reservation');
    try {
      return await sign(machinery, record, permit);
    } catch (error) {
      if (!(error instanceof AppError) || errorEntry(error.code).retryable) throw error;
      if (tries === TRIES) return { kind: 'impossible', cause: error };
    }
  }
}

type Permit = NonNullable<Parameters<OperationSigner['sign']>[0]['permit']>;

async function authorize(machinery: Machinery, record: BuiltOperation): Promise<Permit | Permission> {
  const { attempt } = record;
  try {
    const { permit } = await machinery.peers.policy.authorize({
      ...machinery.permitName(record),
      agentId: record.agentId,
      intent: attempt.intent,
      messageHash: Buffer.from(attempt.messageHash),
      // Policy reads lookup tables by itself.
      ...(attempt.resolvedAddresses.length > 0 ? { message: Buffer.from(attempt.message) } : {}),
    });
    if (!permit) throw new Error('policy answered without a permit');
    return permit;
  } catch (error) {
    // Only a plain no is an answer: whatever may pass can have reserved.
    if (!(error instanceof AppError) || errorEntry(error.code).retryable) throw error;
    const state = REFUSALS[error.code];
    return state ? { kind: 'refused', state, error } : { kind: 'impossible', cause: error };
  }
}

async function sign({ peers }: Machinery, { attempt }: BuiltOperation, permit: Permit): Promise<Permission> {
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
