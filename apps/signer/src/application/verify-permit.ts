import { createHash, timingSafeEqual, verify } from 'node:crypto';
import { PERMIT_LIFETIME_MS, permitSigningInput, policyV1 } from '@agent-wallet/contracts';
import { isUuid } from '@agent-wallet/kernel';
import { isReservedId } from '../domain/system-wallet.js';
import type { PermitKeys } from '../ports/permit-keys.js';
import { signingRefused } from './signing-refused.js';

/** Claims that were proved to be policy's and complete. */
export interface VerifiedPermit extends policyV1.PermitClaims {
  readonly intent: NonNullable<policyV1.PermitClaims['intent']>;
}

/** Most that policy's clock may be ahead of the signer's, in milliseconds. */
const MAX_CLOCK_SKEW_MS = 5_000;

const HASH_BYTES = 32;
const SIGNATURE_BYTES = 64;

/**
 * Proves that policy permits exactly this message, now.
 * @throws AppError SIGNING_REFUSED with `data.reason`
 */
export function verifyPermit(
  permit: policyV1.Permit | undefined,
  message: Uint8Array,
  keys: PermitKeys,
  nowMs: number,
): VerifiedPermit {
  if (!permit) throw signingRefused('permit_missing', 'There is no permit.');
  checkSignature(permit, keys);
  const claims = readClaims(permit.claims);
  checkTime(claims, BigInt(nowMs));
  const hash = createHash('sha256').update(message).digest();
  if (!timingSafeEqual(hash, claims.messageHash)) {
    throw signingRefused('permit_message_hash', 'The permit was made for another message.');
  }
  return claims;
}

function checkSignature(permit: policyV1.Permit, keys: PermitKeys): void {
  const key = keys.get(permit.keyId);
  if (!key) throw signingRefused('permit_key_unknown', 'The permit was signed with a key that is not known here.');
  const { claims, signature } = permit;
  if (signature.length !== SIGNATURE_BYTES || !verify(null, permitSigningInput(claims), key, signature)) {
    throw signingRefused('permit_signature', "The permit's signature is not policy's.");
  }
}

/**
 * Reads claims. Rejects unknown fields and other encodings: the signer never signs under what it does not understand.
 */
function readClaims(bytes: Buffer): VerifiedPermit {
  let claims: policyV1.PermitClaims;
  try {
    claims = policyV1.PermitClaims.decode(bytes);
  } catch (cause) {
    throw signingRefused('permit_malformed', "The permit's claims cannot be read.", cause);
  }
  const isCanonical = bytes.equals(policyV1.PermitClaims.encode(claims).finish());
  const ids = [claims.permitId, claims.operationId, claims.agentId];
  const isIdentified = ids.every(isUuid) && !isReservedId(claims.agentId);
  const isNumbered = claims.step > 0 && claims.attempt > 0;
  const { intent } = claims;
  if (!isCanonical || !isIdentified || !isNumbered || !intent || claims.messageHash.length !== HASH_BYTES) {
    throw signingRefused('permit_malformed', "The permit's claims are not complete, or not in their one form.");
  }
  return { ...claims, intent };
}

function checkTime({ issuedAtMs, expiresAtMs }: VerifiedPermit, nowMs: bigint): void {
  if (expiresAtMs - issuedAtMs > PERMIT_LIFETIME_MS) {
    throw signingRefused('permit_lifetime', 'The permit is good for longer than a permit may be.');
  }
  if (issuedAtMs > nowMs + BigInt(MAX_CLOCK_SKEW_MS)) {
    throw signingRefused('permit_not_yet_valid', 'The permit is not good yet.');
  }
  if (nowMs > expiresAtMs) throw signingRefused('permit_expired', 'The permit has expired.');
}
