import { constants, type KeyObject, verify } from 'node:crypto';
import { TpmReader } from './tpm-reader.js';

const TPM_ALG_RSASSA = 0x0014;
const TPM_ALG_ECDSA = 0x0018;
const TPM_ALG_SHA256 = 0x000b;
const P256_BYTES = 32;
const MIN_RSA_BITS = 2_048;

/**
 * Reports whether a TPMT_SIGNATURE is the key's signature over the bytes, with SHA-256: ECDSA on P-256, or RSASSA of 2
 * 048 bits or more.
 * @throws AttestationRefused malformed when it has another form
 */
export function isTpmSignature(signature: Buffer, signed: Buffer, key: KeyObject): boolean {
  const reader = new TpmReader('signature', signature);
  const algorithm = reader.u16();
  if (reader.u16() !== TPM_ALG_SHA256) return false;
  if (algorithm === TPM_ALG_ECDSA) return isEcdsa(reader, signed, key);
  if (algorithm === TPM_ALG_RSASSA) return isRsassa(reader, signed, key);
  return false;
}

function isEcdsa(reader: TpmReader, signed: Buffer, key: KeyObject): boolean {
  const [r, s] = [reader.sized(), reader.sized()];
  reader.end();
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return false;
  if (r.length > P256_BYTES || s.length > P256_BYTES) return false;
  // A TPM may leave leading zeros out.
  const padded = [r, s].map((number) => Buffer.concat([Buffer.alloc(P256_BYTES - number.length), number]));
  return verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.concat(padded));
}

function isRsassa(reader: TpmReader, signed: Buffer, key: KeyObject): boolean {
  const signature = reader.sized();
  reader.end();
  const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType !== 'rsa' || modulusLength < MIN_RSA_BITS) return false;
  return verify('sha256', signed, { key, padding: constants.RSA_PKCS1_PADDING }, signature);
}
