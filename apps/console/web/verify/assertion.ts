import { type Bytes, concat, isSame, isSignedByPasskey, sha256, toBase64Url, utf8 } from '@agent-wallet/audit';
import { readJson } from './document.js';
import type { ApprovalDecided } from './read-event.js';
import type { VoteProblem } from './report.js';

const USER_PRESENT = 1;
const USER_VERIFIED = 4;
const HASH_BYTES = 32;
/** Hash of the relying party, flags, counter. */
export const AUTHENTICATOR_DATA_BYTES = 37;

/** Returns what is wrong with an assertion, apart from its signature. */
export function problemOfAssertion(vote: ApprovalDecided, origin: string): VoteProblem | undefined {
  const { clientDataJson, authenticatorData, documentHash } = vote;
  const client = readJson(clientDataJson);
  if (client.type !== 'webauthn.get') return 'type';
  if (client.challenge !== toBase64Url(documentHash)) return 'challenge';
  if (client.origin !== origin || client.crossOrigin === true) return 'origin';
  if (authenticatorData.length < AUTHENTICATOR_DATA_BYTES) return 'unreadable';
  if (!isForOrigin(authenticatorData.subarray(0, HASH_BYTES), origin)) return 'relying_party';
  const flags = authenticatorData[HASH_BYTES]!;
  return flags & USER_PRESENT && flags & USER_VERIFIED ? undefined : 'user_not_verified';
}

/** Verifies the signature of an assertion; undefined where the browser lacks its algorithm. */
export function isSignedAssertion(vote: ApprovalDecided, coseKey: Bytes): Promise<boolean | undefined> {
  const { clientDataJson, authenticatorData, signature } = vote;
  return isSignedByPasskey(coseKey, signature, concat(authenticatorData, sha256(clientDataJson)));
}

/** Compares the hash of a relying party with the host of an origin, and the domains above it but the last. */
function isForOrigin(rpIdHash: Bytes, origin: string): boolean {
  const { hostname } = new URL(origin);
  const labels = hostname.split('.');
  const parents = labels.map((_, n) => labels.slice(n).join('.')).filter((name) => name.includes('.'));
  return [hostname, ...parents].some((rpId) => isSame(sha256(utf8(rpId)), rpIdHash));
}
