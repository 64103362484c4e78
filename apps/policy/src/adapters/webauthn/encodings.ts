/**
 * Forms that are stricter than what the library accepts: a second implementation, which verifies the audit log, reads the
 * same bytes and must come to the same answer.
 */

/** Beginnings of the COSE keys that CTAP2 allows, in its canonical CBOR: kty and alg of ES256, EdDSA and RS256. */
const ES256 = Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1]);
const EDDSA = Buffer.from([0xa4, 1, 1, 3, 0x27, 0x20, 6]);
const RS256 = Buffer.from([0xa4, 1, 3, 3, 0x39, 1, 0, 0x20]);

/** Labels -2 and -3, each with a string of 32 bytes. */
const X = Buffer.from([0x21, 0x58, 32]);
const Y = Buffer.from([0x22, 0x58, 32]);
const COORDINATE_BYTES = 32;
/** A string with two bytes of length, and e = 65537. */
const LONG_STRING = 0x59;
const EXPONENT = Buffer.from([0x21, 0x43, 1, 0, 1]);
const [MIN_MODULUS_BYTES, MAX_MODULUS_BYTES] = [256, 512];

/** Returns whether a COSE key is, byte by byte, the one encoding of an ES256, EdDSA or RS256 key. */
export function hasKnownForm(coseKey: Uint8Array): boolean {
  const key = Buffer.from(coseKey);
  return hasParts(key, ES256, [X, Y]) || hasParts(key, EDDSA, [X]) || isRsaKey(key);
}

/** Returns whether a key consists of a beginning and coordinates, each after its label, and nothing else. */
function hasParts(key: Buffer, beginning: Buffer, labels: readonly Buffer[]): boolean {
  const lengths = labels.map((label) => label.length + COORDINATE_BYTES);
  if (key.length !== lengths.reduce((sum, length) => sum + length, beginning.length)) return false;
  return (
    startsAt(key, 0, beginning) &&
    labels.every((label, n) => startsAt(key, beginning.length + n * (label.length + COORDINATE_BYTES), label))
  );
}

function isRsaKey(key: Buffer): boolean {
  const modulusAt = RS256.length + 3;
  if (key.length < modulusAt || !startsAt(key, 0, RS256) || key[RS256.length] !== LONG_STRING) return false;
  const length = key.readUInt16BE(RS256.length + 1);
  if (length < MIN_MODULUS_BYTES || length > MAX_MODULUS_BYTES || key[modulusAt] === 0) return false;
  return key.subarray(modulusAt + length).equals(EXPONENT);
}

function startsAt(key: Buffer, offset: number, part: Buffer): boolean {
  return key.subarray(offset, offset + part.length).equals(part);
}

/**
 * Returns whether a signature has its one encoding. ES256: two positive integers in DER. The others have a fixed
 * length.
 */
export function isStrictSignature(coseKey: Uint8Array, signature: Uint8Array): boolean {
  if (!ES256.equals(coseKey.subarray(0, ES256.length))) return true;
  const [tag, length] = signature;
  const afterFirst = derIntegerEnd(signature, 2);
  return (
    tag === 0x30 &&
    length === signature.length - 2 &&
    afterFirst !== undefined &&
    derIntegerEnd(signature, afterFirst) === signature.length
  );
}

/**
 * Returns the end of a positive integer of at most 256 bits that begins at an offset; undefined for any other bytes.
 */
function derIntegerEnd(der: Uint8Array, offset: number): number | undefined {
  const [tag, length = 0, first = 0, second = 0] = der.subarray(offset);
  const hasNeededZero = first !== 0 || second >= 0x80;
  const isShort = length >= 1 && length <= 33 && first < 0x80 && (hasNeededZero || length === 1);
  return tag === 2 && isShort ? offset + 2 + length : undefined;
}
