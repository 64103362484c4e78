import { AppError } from '@agent-wallet/kernel';
import type { RefusalReason } from '@agent-wallet/solana/checks';

/** Reason why the signer does not sign: something about the permit, about the wallet, or about the message. */
type SigningRefusal =
  | 'permit_missing'
  /** Signed with a key that is not pinned here. */
  | 'permit_key_unknown'
  /** The signature is not policy's over these claims. */
  | 'permit_signature'
  /** The claims cannot be read, or not only in one way. */
  | 'permit_malformed'
  /** Good for longer than any permit is. */
  | 'permit_lifetime'
  | 'permit_not_yet_valid'
  | 'permit_expired'
  /** Made for another message. */
  | 'permit_message_hash'
  /** The agent has no key. */
  | 'wallet_unknown'
  /** The intent spends from a wallet that is not the agent's. */
  | 'wallet_mismatch'
  /** The intent's sponsor is not the operator's. */
  | 'sponsor_mismatch'
  /** The intent pays from a treasury that is not the operator's. */
  | 'treasury_mismatch'
  /** The message does not do what the intent says. */
  | `message_${RefusalReason}`;

/** Returns the error of a refusal; `data.reason` names the reason. */
export function signingRefused(reason: SigningRefusal, message: string, cause?: unknown): AppError {
  return new AppError('SIGNING_REFUSED', { message, data: { reason }, cause });
}
