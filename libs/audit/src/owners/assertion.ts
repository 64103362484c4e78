import { concat, isSame, sha256, toBase64Url, toHex, utf8 } from '../bytes.js';
import type { ApprovalDecided, PasskeyChanged } from '../generated/agentwallet/audit/v1/event.js';
import { isSignedByPasskey } from '../signature.js';
import { readJson } from './document.js';

/** Reason why an assertion is not one over a document, apart from its signature. */
export type AssertionProblem =
  | 'assertion_of_other_type'
  | 'challenge_differs'
  | 'signed_at_other_origin'
  | 'authenticator_data_too_short'
  | 'signed_for_other_party'
  | 'user_not_verified';

type Assertion = Pick<ApprovalDecided, 'clientDataJson' | 'authenticatorData' | 'documentHash' | 'signature'>;

const USER_PRESENT = 1;
const USER_VERIFIED = 4;
const HASH_BYTES = 32;
/** Hash of the relying party, flags, counter. */
const AUTHENTICATOR_DATA_BYTES = 37;
const AAGUID_BYTES = 16;

/** Returns what is wrong with an assertion, apart from its signature. */
export function problemOfAssertion(vote: Assertion, origin: string): AssertionProblem | undefined {
  const { clientDataJson, authenticatorData, documentHash } = vote;
  const client = readJson(clientDataJson);
  if (client.type !== 'webauthn.get') return 'assertion_of_other_type';
  if (client.challenge !== toBase64Url(documentHash)) return 'challenge_differs';
  if (client.origin !== origin || client.crossOrigin === true) return 'signed_at_other_origin';
  if (authenticatorData.length < AUTHENTICATOR_DATA_BYTES) return 'authenticator_data_too_short';
  if (!isForOrigin(authenticatorData.subarray(0, HASH_BYTES), origin)) return 'signed_for_other_party';
  const flags = authenticatorData[HASH_BYTES]!;
  return flags & USER_PRESENT && flags & USER_VERIFIED ? undefined : 'user_not_verified';
}

/** Verifies the signature of an assertion; undefined where the browser lacks its algorithm. */
export function isSignedAssertion(vote: Assertion, coseKey: Uint8Array): Promise<boolean | undefined> {
  const { clientDataJson, authenticatorData, signature } = vote;
  return isSignedByPasskey(coseKey, signature, concat(authenticatorData, sha256(clientDataJson)));
}

/** Compares the hash of a relying party with the host of an origin, and the domains above it but the last. */
function isForOrigin(rpIdHash: Uint8Array, origin: string): boolean {
  const { hostname } = new URL(origin);
  const labels = hostname.split('.');
  const parents = labels.map((_, n) => labels.slice(n).join('.')).filter((name) => name.includes('.'));
  return [hostname, ...parents].some((rpId) => isSame(sha256(utf8(rpId)), rpIdHash));
}

/**
 * Reports whether the attestation object has the same credential: its ID, then its key, at the end or before
 * extensions.
 */
export function isRegisteredKey({
  attestationObject,
  credentialId,
  coseKey,
}: Pick<PasskeyChanged, 'attestationObject' | 'credentialId' | 'coseKey'>): boolean {
  const length = Uint8Array.of(credentialId.length >> 8, credentialId.length & 0xff);
  const [text, credential] = [toHex(attestationObject), toHex(concat(length, credentialId, coseKey))];
  let at = text.indexOf(credential);
  // A match at an odd digit begins within a byte.
  while (at % 2 === 1) at = text.indexOf(credential, at + 1);
  return at >= 2 * (AUTHENTICATOR_DATA_BYTES + AAGUID_BYTES);
}
