// Reads attestation objects in canonical CBOR: those of the format none, and self-attestation.

const text = (value: string) => Buffer.concat([Buffer.from([0x60 | value.length]), Buffer.from(value)]);
const mapOf = (size: number) => Buffer.from([0xa0 | size]);

const AUTH_DATA = text('authData');
const NONE = Buffer.concat([mapOf(3), text('fmt'), text('none'), text('attStmt'), mapOf(0), AUTH_DATA]);
/** A statement of two fields has no certificates: with them the library reads those, and fetches what they name. */
const SELF = Buffer.concat([mapOf(3), text('fmt'), text('packed'), text('attStmt'), mapOf(2), text('alg')]);
const SIG = text('sig');

/** ES256, EdDSA and RS256 in CBOR. */
const ALGORITHMS = [Buffer.from([0x26]), Buffer.from([0x27]), Buffer.from([0x39, 1, 0])];
/** Offset of the algorithm in a canonical COSE key. */
const KEY_ALGORITHM_AT = 4;

/** Returns whether an attestation object is of the format none. */
export function isWithoutAttestation(object: Buffer): boolean {
  return startsAt(object, 0, NONE);
}

/** Returns the algorithm of a self-attestation, in CBOR; undefined for every other attestation. */
export function selfAttestationAlgorithm(object: Buffer): Buffer | undefined {
  if (!startsAt(object, 0, SELF)) return undefined;
  const algorithm = ALGORITHMS.find((each) => startsAt(object, SELF.length, Buffer.concat([each, SIG])));
  if (!algorithm) return undefined;
  const signatureAt = SELF.length + algorithm.length + SIG.length;
  return startsAt(object, byteStringEnd(object, signatureAt), AUTH_DATA) ? algorithm : undefined;
}

/** Returns whether a canonical COSE key is of an algorithm. */
export function isKeyOf(algorithm: Buffer, coseKey: Uint8Array): boolean {
  return startsAt(Buffer.from(coseKey), KEY_ALGORITHM_AT, algorithm);
}

/** Returns the end of a byte string of 24 to 65,535 bytes; -1 for anything else. */
function byteStringEnd(object: Buffer, at: number): number {
  const [head, high = 0, low = 0] = object.subarray(at);
  if (head === 0x58) return at + 2 + high;
  return head === 0x59 ? at + 3 + high * 256 + low : -1;
}

function startsAt(bytes: Buffer, at: number, part: Buffer): boolean {
  return at >= 0 && bytes.subarray(at, at + part.length).equals(part);
}
