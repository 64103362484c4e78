import type { auditV1 } from '@agent-wallet/contracts';
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { SignedDocument } from './signed-document.js';

/** Checks of WebAuthn's assertions and keys, with nothing but node:crypto. */

const USER_PRESENT = 1;
const USER_VERIFIED = 4;
const HASH_BYTES = 32;
/** Hash of the relying party, flags, counter. */
const AUTHENTICATOR_DATA_BYTES = 37;
const AAGUID_BYTES = 16;

/** Returns why a vote is not the passkey's over that document; undefined when it is. */
export function problemOfAssertion(
  vote: auditV1.ApprovalDecided,
  { origin }: SignedDocument,
  passkey: auditV1.PasskeyChanged,
): string | undefined {
  const { clientDataJson, authenticatorData, documentHash, signature } = vote;
  const client = parseClientData(clientDataJson);
  if (client?.type !== 'webauthn.get') return 'its client data are not those of an assertion';
  if (client.challenge !== documentHash.toString('base64url')) return 'its challenge is not the hash of the document';
  if (client.origin !== origin || client.crossOrigin === true) return 'it was signed at another origin';
  if (authenticatorData.length < AUTHENTICATOR_DATA_BYTES) return 'its authenticator data are too short';
  const rpIdHash = authenticatorData.subarray(0, HASH_BYTES);
  if (!relyingPartiesOf(origin).some((rpId) => sha256(Buffer.from(rpId)).equals(rpIdHash))) {
    return 'it was signed for another relying party';
  }
  const flags = authenticatorData[HASH_BYTES]!;
  if (!(flags & USER_PRESENT && flags & USER_VERIFIED)) return 'its user was not verified';
  const key = publicKeyOf(passkey.coseKey);
  const signed = Buffer.concat([authenticatorData, sha256(clientDataJson)]);
  const isSigned = key && verify(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', signed, key, signature);
  return isSigned ? undefined : 'its signature is not that of the passkey';
}

/** Returns the host of an origin, and the domains above it but the last. */
function relyingPartiesOf(origin: string): string[] {
  const labels = new URL(origin).hostname.split('.');
  const parents = labels.map((_, n) => labels.slice(n).join('.')).filter((name) => name.includes('.'));
  return [new URL(origin).hostname, ...parents];
}

/**
 * Returns whether the attestation object has the same credential: its ID, then its key, at the end or before
 * extensions.
 */
export function isRegisteredKey({ attestationObject, credentialId, coseKey }: auditV1.PasskeyChanged): boolean {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(credentialId.length);
  const credential = Buffer.concat([length, credentialId, coseKey]);
  return attestationObject.indexOf(credential) >= AUTHENTICATOR_DATA_BYTES + AAGUID_BYTES;
}

/** Reads a canonical COSE key of one of the three algorithms that policy accepts. */
function publicKeyOf(cose: Buffer): KeyObject | undefined {
  const fields = byteStringsOf(cose).map((bytes) => bytes.toString('base64url'));
  const [first, second] = fields;
  const header = cose.subarray(0, 5).toString('hex');
  if (header === 'a501020326') return jwk({ kty: 'EC', crv: 'P-256', x: first, y: second });
  if (header === 'a401010327') return jwk({ kty: 'OKP', crv: 'Ed25519', x: first });
  return header === 'a401030339' ? jwk({ kty: 'RSA', n: first, e: second }) : undefined;
}

function jwk(key: Readonly<Record<string, string | undefined>>): KeyObject | undefined {
  try {
    return createPublicKey({ key, format: 'jwk' });
  } catch {
    return undefined;
  }
}

/**
 * Reads the byte strings of a CBOR map from its third entry on, whose labels are one byte and whose other values are
 * integers.
 */
function byteStringsOf(cose: Buffer): Buffer[] {
  const strings: Buffer[] = [];
  for (let at = 1; at < cose.length;) {
    const head = cose[at]!;
    const isLong = (head & 0x1f) === 0x19;
    const isMedium = (head & 0x1f) === 0x18;
    const argument = isLong ? cose.readUInt16BE(at + 1) : isMedium ? cose[at + 1]! : head & 0x1f;
    at += isLong ? 3 : isMedium ? 2 : 1;
    if (head >> 5 !== 2) continue;
    strings.push(cose.subarray(at, at + argument));
    at += argument;
  }
  return strings;
}

interface ClientData {
  readonly type?: unknown;
  readonly challenge?: unknown;
  readonly origin?: unknown;
  readonly crossOrigin?: unknown;
}

function parseClientData(json: Buffer): ClientData | undefined {
  try {
    return JSON.parse(json.toString()) as ClientData;
  } catch {
    return undefined;
  }
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
