/**
 * Forms that are stricter than what the library accepts: a second implementation, which verifies the audit log, reads the
 * same bytes and must come to the same answer.
 */

/** How COSE keys begin that CTAP2 allows, in its canonical CBOR: kty and alg of ES256, EdDSA and RS256. */
const ES256 = Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1]);
const EDDSA = Buffer.from([0xa4, 1, 1, 3, 0x27, 0x20, 6]);
const RS256 = Buffer.from([0xa4, 1, 3, 3, 0x39, 1, 0, 0x20]);

export function hasKnownForm(coseKey: Uint8Array): boolean {
  return [ES256, EDDSA, RS256].some((prefix) => prefix.equals(coseKey.subarray(0, prefix.length)));
}

/** Whether a signature has its one encoding: of ES256 two positive integers in DER. The others have a fixed length. */
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

/** Where a positive integer of at most 256 bits ends that begins at an offset. */
function derIntegerEnd(der: Uint8Array, offset: number): number | undefined {
  const [tag, length = 0, first = 0, second = 0] = der.subarray(offset);
  const hasNeededZero = first !== 0 || second >= 0x80;
  const isShort = length >= 1 && length <= 33 && first < 0x80 && (hasNeededZero || length === 1);
  return tag === 2 && isShort ? offset + 2 + length : undefined;
}
