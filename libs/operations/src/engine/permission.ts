import { AppError, errorEntry } from '@agent-wallet/kernel';
import { assembleTransaction, verifySignature } from '@agent-wallet/solana';
import type { AttemptRecord, OperationRecord } from '../records/operation.js';
import type { Machinery } from './machinery.js';

/** An operation with a message. */
export type BuiltOperation = OperationRecord & { readonly attempt: AttemptRecord };

/** What asking for a signature came to. Everything else that can happen says nothing, and is thrown. */
export type Permission =
  | { readonly kind: 'signed'; readonly signature: Uint8Array; readonly transaction: Uint8Array }
  /** Policy refused. */
  | { readonly kind: 'rejected'; readonly error: AppError }
  /** Policy cannot grant it, or the signer will not sign it, whatever is done: a fault of ours. */
  | { readonly kind: 'impossible'; readonly cause: AppError };

/** A permit may be too old by the time it reaches the signer; then another one helps. */
const TRIES = 2;

/** Gets the stored message permitted and signed: the same bytes give the same reservation and the same signature. */
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

type Permit = NonNullable<Parameters<Machinery['tools']['signer']['sign']>[0]['permit']>;

async function authorize({ tools }: Machinery, record: BuiltOperation): Promise<Permit | Permission> {
  const { attempt } = record;
  try {
    const { permit } = await tools.policy.authorize({
      operationId: record.id,
      step: attempt.step,
      attempt: attempt.attempt,
      agentId: record.agentId,
      intent: attempt.intent,
      messageHash: Buffer.from(attempt.messageHash),
    });
    if (!permit) throw new Error('policy answered without a permit');
    return permit;
  } catch (error) {
    // Only a plain no is an answer: whatever may pass can have reserved.
    if (!(error instanceof AppError) || errorEntry(error.code).retryable) throw error;
    return error.code === 'POLICY_VIOLATION' ? { kind: 'rejected', error } : { kind: 'impossible', cause: error };
  }
}

async function sign({ tools }: Machinery, { attempt }: BuiltOperation, permit: Permit): Promise<Permission> {
  const { signature } = await tools.signer.sign({ message: Buffer.from(attempt.message), permit });
  if (!verifySignature(attempt.message, signature, attempt.intent.wallet)) {
    throw new Error('the signer answered a signature that is none of the wallet');
  }
  return { kind: 'signed', signature, transaction: assembleTransaction(attempt.message, [signature]) };
}
