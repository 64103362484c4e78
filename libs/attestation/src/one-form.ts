import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { AttestationRefused } from './attestation-refused.js';

/** Decodes base64 text, and rejects every spelling but the canonical one. @throws AttestationRefused malformed */
export function fromBase64(name: string, text: unknown): Buffer {
  if (typeof text !== 'string') throw malformed(`${name} is not text`);
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw malformed(`${name} is not base64`);
  return bytes;
}

/**
 * Reads a document of JSON that has exactly these members, in this order, and was written without a space. Anything else
 * says the same is refused, so that no byte of a document can differ unseen.
 * @throws AttestationRefused malformed
 */
export function readDocument(document: Uint8Array, members: readonly string[]): Record<string, unknown> {
  const text = Buffer.from(document).toString();
  const value = parse(text);
  if (typeof value !== 'object' || value === null || JSON.stringify(value) !== text) {
    throw malformed('the document is not JSON in its one form');
  }
  const names = Object.keys(value);
  if (names.length !== members.length || names.some((name, at) => name !== members[at])) {
    throw malformed(`the document does not have the members ${members.join(', ')}`);
  }
  return value as Record<string, unknown>;
}

/** Reads the public key from PEM text in the form that node:crypto writes. @throws AttestationRefused malformed */
export function fromPem(name: string, text: unknown): KeyObject {
  const key = typeof text === 'string' ? publicKeyOf(text) : undefined;
  const written = key?.export({ type: 'spki', format: 'pem' });
  if (!key || text !== written) throw malformed(`${name} is not a public key in PEM`);
  return key;
}

/** Returns the ID of a key in evidence: SHA-256 of its SubjectPublicKeyInfo in DER, in hex. */
export function keyIdOf(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

/** @throws AttestationRefused unknown_key unless the evidence names the key, and the policy accepts it */
export function requireKey(key: KeyObject, keyId: string, accepted: readonly string[]): void {
  const id = keyIdOf(key);
  if (id !== keyId)
    throw new AttestationRefused('unknown_key', 'the evidence names another key than the one it brings');
  if (!accepted.includes(id)) {
    throw new AttestationRefused('unknown_key', `the evidence is signed by the key ${id}, which is not accepted`);
  }
}

function publicKeyOf(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem);
  } catch {
    return undefined;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('the document is not JSON');
  }
}

function malformed(message: string): AttestationRefused {
  return new AttestationRefused('malformed', message);
}
