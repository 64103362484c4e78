import { type KeyObject, verify } from 'node:crypto';
import { malformed, readPlainCbor, writePlainCbor } from './plain-cbor.js';

/** A COSE_Sign1 object (RFC 9052, section 4.2), taken apart but not verified. */
interface CoseSign1 {
  readonly protectedHeader: Buffer;
  readonly payload: Buffer;
  readonly signature: Buffer;
}

/** A payload is at most 16 KiB, as Nitro's specification says; the rest is a header and a signature. */
const MAX_BYTES = 16_384 + 256;

/** COSE_Sign1 may stand behind its tag, 18. */
const TAG_BYTE = 0xd2;

/** `{1: -35}`: ECDSA with SHA-384, the only algorithm of Nitro documents. */
const ES384_HEADER = Buffer.from('a1013822', 'hex');
const SIGNATURE_BYTES = 96;

/** @throws AttestationRefused `malformed` */
export function readCoseSign1(document: Uint8Array): CoseSign1 {
  if (document.length > MAX_BYTES) throw malformed('it is too long');
  const parts = readPlainCbor(document[0] === TAG_BYTE ? document.subarray(1) : document);
  if (!Array.isArray(parts) || parts.length !== 4) throw malformed('it is not a COSE_Sign1 object');
  const [protectedHeader, unprotected, payload, signature] = parts as unknown[];
  if (!Buffer.isBuffer(protectedHeader) || !protectedHeader.equals(ES384_HEADER)) {
    throw malformed('it is not signed with ES384');
  }
  if (!(unprotected instanceof Map) || unprotected.size > 0) throw malformed('it has an unprotected header');
  if (!Buffer.isBuffer(payload)) throw malformed('it has no payload');
  if (!Buffer.isBuffer(signature) || signature.length !== SIGNATURE_BYTES) throw malformed('it has no signature');
  return { protectedHeader, payload, signature };
}

/** Reports whether a P-384 key signed it. */
export function isSignedBy({ protectedHeader, payload, signature }: CoseSign1, key: KeyObject): boolean {
  const signed = writePlainCbor(['Signature1', protectedHeader, Buffer.alloc(0), payload]);
  return verify('sha384', signed, { key, dsaEncoding: 'ieee-p1363' }, signature);
}
