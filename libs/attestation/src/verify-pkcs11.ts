import { verify } from 'node:crypto';
import { AttestationRefused } from './attestation-refused.js';
import type { EvidenceVerifier } from './evidence.js';
import { fromBase64, fromPem, readDocument, requireKey } from './one-form.js';

const PREFIX = Buffer.from('agentwallet/pkcs11-evidence/v1\n');

/** A policy's requirements for tokens. */
export interface AcceptedPkcs11 {
  /** SHA-256 of each evidence key's SubjectPublicKeyInfo in DER, in hex. */
  readonly keys: readonly string[];
}

/**
 * Verifies evidence of the format `pkcs11/v1`: the binding, signed by a key of a token that is accepted. It says who holds the
 * token, and nothing about the program; what the token says of itself is for people, and not signed.
 */
export const verifyPkcs11: EvidenceVerifier<AcceptedPkcs11> = ({ keyId, document }, { binding }, accepted) => {
  const members = readDocument(document, ['publicKey', 'signature', 'token']);
  const key = fromPem('publicKey', members['publicKey']);
  requireKey(key, keyId, accepted.keys);
  const isP256 = key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
  const signature = fromBase64('signature', members['signature']);
  const signed = Buffer.concat([PREFIX, binding]);
  if (!isP256 || !verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature)) {
    throw new AttestationRefused('wrong_signature', "the evidence is not the token's signature over this statement");
  }
};
