import type { intentV1 } from '@agent-wallet/contracts';
import type { AppError } from '@agent-wallet/kernel';
import { signatureText } from '@agent-wallet/solana';

/**
 * State of an operation. `pending`: nothing is signed; `awaiting_approval`: an owner was asked, and nothing is signed
 * or reserved; `submitted`: signed, and may land; `confirmed`: landed; `failed`: could not be done, or landed with an
 * error; `expired`: proven never to land; `rejected`: refused by policy.
 */
export type OperationState =
  | 'pending'
  | 'awaiting_approval'
  | 'submitted'
  | 'confirmed'
  | 'failed'
  | 'expired'
  | 'rejected';

/** The states that answer a caller. */
const OUTCOMES: ReadonlySet<OperationState> = new Set(['confirmed', 'failed', 'expired', 'rejected']);

/** Reports whether the outcome is known. */
export function isDecided({ state }: { readonly state: OperationState }): boolean {
  return OUTCOMES.has(state);
}

/** Reports whether the operation waits for an owner, so that a caller gets a response without an outcome. */
export function isAwaitingApproval({ state }: { readonly state: OperationState }): boolean {
  return state === 'awaiting_approval';
}

/** An approval that policy has requested for an operation. */
export interface RequestedApproval {
  /** UUID. */
  readonly approvalId: string;
  /** Until when it can be used, in Unix milliseconds. */
  readonly expiresAtMs: number;
  /** `above_amount`, `new_recipient`. */
  readonly reasons: readonly string[];
}

/** Returns the base58 signature of an operation's own message; empty while it is unknown. */
export function signatureOf({ attempt }: Pick<OperationRecord, 'attempt'>): string {
  return attempt?.signature ? signatureText(attempt.signature) : '';
}

/** One operation, as it was last written or read. The request is JSON; the plan is what its handler works with. */
export interface OperationRecord<Request = unknown, Plan = unknown> {
  /** UUID. */
  readonly id: string;
  readonly agentId: string;
  /** Name of its kind: `transfer`. */
  readonly action: string;
  readonly request: Request;
  /** The API request that started it. */
  readonly requestId: string;
  readonly state: OperationState;
  /** Changes that were published. */
  readonly revision: number;
  /** Undefined until the request was resolved. */
  readonly plan: Plan | undefined;
  /** The error that every caller gets, once failed, expired or rejected. */
  readonly error: AppError | undefined;
  /** Unix milliseconds. */
  readonly createdAtMs: number;
  /** The lease under which it may be written. */
  readonly fence: bigint;
  /** The approval last requested of an owner; undefined without one. */
  readonly approval?: RequestedApproval | undefined;
  /** The latest attempt of the latest step; undefined until a message was built. */
  readonly attempt: AttemptRecord | undefined;
}

/** An operation with a message. */
export type BuiltOperation = OperationRecord & { readonly attempt: AttemptRecord };

/**
 * `built`: stored, unsigned; `submitted`: signed, and may be on its way; `landed`, `failed`: in a block, without or with
 * an error; `expired`: proven never to land; `abandoned`: never signed, and never sent.
 */
export type AttemptState = 'built' | 'submitted' | 'landed' | 'failed' | 'expired' | 'abandoned';

/** A signer boot's statement about the signatures it gave: see libs/attestation. */
export interface RecordedCountersignature {
  /** The permit (UUID) that they were given under. */
  readonly permitId: string;
  /** The boot's Ed25519 public key, 32 bytes. */
  readonly ephemeralKey: Uint8Array;
  /** 64 bytes. */
  readonly signature: Uint8Array;
}

/** One message of an operation. */
export interface AttemptRecord {
  /** From 1. */
  readonly step: number;
  /** From 1, within the step. */
  readonly attempt: number;
  readonly state: AttemptState;
  readonly intent: intentV1.Intent;
  /** Serialized, without signatures. */
  readonly message: Uint8Array;
  /** SHA-256 of the message. */
  readonly messageHash: Uint8Array;
  /** The 32-byte addresses that lookup tables bring into the message. */
  readonly resolvedAddresses: readonly Uint8Array[];
  readonly lastValidBlockHeight: number;
  /** Network fee paid by the wallet, the sponsor or the treasury; zero when the cosigner pays. */
  readonly networkFeeLamports: bigint;
  /** A slot that had passed when the message was built; known for a message with a cosigner. */
  readonly sinceSlot: number | undefined;
  /**
   * The transaction's first signature, which names it: the sponsor's, if there is one. 64 bytes. Undefined until it is
   * signed; the cosigner's undefined until the transaction was found on chain.
   */
  readonly signature: Uint8Array | undefined;
  /** The signed bytes, with zeros where the cosigner will sign; undefined until signed. */
  readonly transaction: Uint8Array | undefined;
  /**
   * Countersignature of the signer's boot that gave our signatures; undefined until signed, and when the signer
   * returned none.
   */
  readonly countersignature: RecordedCountersignature | undefined;
  readonly slot: number | undefined;
  /** The chain's own error as JSON text. */
  readonly chainError: string | undefined;
  /** Whether nothing can change its outcome any more. */
  readonly finalized: boolean;
  /** Whether policy has settled or released what was reserved for it. */
  readonly settled: boolean;
}

/** An attempt whose message was signed. */
export type SignedAttempt = AttemptRecord & { readonly transaction: Uint8Array };

/** Reports whether an attempt's message was signed. */
export function isSigned(attempt: AttemptRecord | undefined): attempt is SignedAttempt {
  return attempt?.transaction !== undefined;
}

/**
 * Returns the base58 address of the cosigner, or undefined without one. The cosigner signs the same bytes last, pays
 * for them, and so names the transaction.
 */
export function cosignerOf({ action }: intentV1.Intent): string | undefined {
  return action?.$case === 'swap' ? action.value.cosigner : undefined;
}

/** Returns the base58 address of the wallet that pays and signs: the agent's, or the treasury's for a payout. */
export function payerOf({ action, wallet }: intentV1.Intent): string {
  return action?.$case === 'payout' ? action.value.treasury : wallet;
}
