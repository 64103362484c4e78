import { type Bytes, concat, toBase64Url, toHex } from './bytes.js';

const ED25519 = { name: 'Ed25519' } as const;
const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const RSA = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;
const SCALAR_BYTES = 32;

/** Beginnings of canonical COSE keys, up to the first byte string. */
const ES256_HEAD = 'a5010203262001215820';
const EDDSA_HEAD = 'a4010103272006215820';
const RS256_HEAD = 'a401030339010020';

/** Verifies an Ed25519 signature; undefined where the browser has no Ed25519. */
export async function isSignedByEd25519(
  key: Uint8Array,
  signature: Uint8Array,
  signed: Bytes,
): Promise<boolean | undefined> {
  return verify({ algorithm: ED25519, key: { kty: 'OKP', crv: 'Ed25519', x: toBase64Url(key) } }, signature, signed);
}

/** Verifies a passkey's signature: ES256, EdDSA or RS256; undefined where the browser lacks the algorithm. */
export async function isSignedByPasskey(
  cose: Uint8Array,
  signature: Uint8Array,
  signed: Bytes,
): Promise<boolean | undefined> {
  const key = keyOf(cose);
  if (!key) return false;
  if (key.algorithm !== ECDSA) return verify(key, signature, signed);
  const raw = rawOfDer(signature);
  return raw ? verify(key, raw, signed) : false;
}

interface PublicKey {
  readonly algorithm: typeof ED25519 | typeof ECDSA | typeof RSA;
  readonly key: Readonly<Record<string, string>> & { readonly kty: string };
}

async function verify(
  { algorithm, key }: PublicKey,
  signature: Uint8Array,
  signed: Bytes,
): Promise<boolean | undefined> {
  try {
    const imported = await crypto.subtle.importKey('jwk', key, algorithm, false, ['verify']);
    return await crypto.subtle.verify(algorithm, imported, new Uint8Array(signature), signed);
  } catch (error) {
    return error instanceof Error && error.name === 'NotSupportedError' ? undefined : false;
  }
}

/** Reads a canonical COSE key of one of the three algorithms that policy accepts. */
function keyOf(cose: Uint8Array): PublicKey | undefined {
  const hex = toHex(cose.subarray(0, ES256_HEAD.length / 2));
  if (hex === ES256_HEAD) {
    const [x, y] = [cose.subarray(10, 42), cose.subarray(45)];
    const isWhole = toHex(cose.subarray(42, 45)) === '225820' && y.length === SCALAR_BYTES;
    const key = { kty: 'EC', crv: 'P-256', x: toBase64Url(x), y: toBase64Url(y) };
    return isWhole ? { algorithm: ECDSA, key } : undefined;
  }
  if (hex === EDDSA_HEAD) {
    const x = cose.subarray(10);
    const key = { kty: 'OKP', crv: 'Ed25519', x: toBase64Url(x) };
    return x.length === SCALAR_BYTES ? { algorithm: ED25519, key } : undefined;
  }
  return hex.startsWith(RS256_HEAD) ? rsaKeyOf(cose) : undefined;
}

function rsaKeyOf(cose: Uint8Array): PublicKey | undefined {
  const n = byteStringAt(cose, RS256_HEAD.length / 2);
  if (!n || cose[n.end] !== 0x21) return undefined;
  const e = byteStringAt(cose, n.end + 1);
  if (e?.end !== cose.length) return undefined;
  return { algorithm: RSA, key: { kty: 'RSA', n: toBase64Url(n.bytes), e: toBase64Url(e.bytes) } };
}

/** Reads a byte string of CBOR of less than 65,536 bytes. */
function byteStringAt(cose: Uint8Array, at: number): { readonly bytes: Uint8Array; readonly end: number } | undefined {
  const [head = 0, high = 0, low = 0] = cose.subarray(at, at + 3);
  const isLong = head === 0x59;
  const isMedium = head === 0x58;
  if (!isLong && !isMedium && (head < 0x40 || head > 0x57)) return undefined;
  const start = at + (isLong ? 3 : isMedium ? 2 : 1);
  const end = start + (isLong ? 256 * high + low : isMedium ? high : head - 0x40);
  return end <= cose.length ? { bytes: cose.subarray(start, end), end } : undefined;
}

/** Converts an ECDSA signature of P-256 from DER, as WebAuthn has it, to r ‖ s, as Web Crypto has it. */
export function rawOfDer(der: Uint8Array): Bytes | undefined {
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return undefined;
  const r = scalarAt(der, 2);
  const s = r && scalarAt(der, r.end);
  return s?.end === der.length ? concat(r!.scalar, s.scalar) : undefined;
}

/** Reads a positive integer in its shortest form, and fills it up to 32 bytes. */
function scalarAt(der: Uint8Array, at: number): { readonly scalar: Bytes; readonly end: number } | undefined {
  const size = der[at + 1] ?? 0;
  const [start, end] = [at + 2, at + 2 + size];
  const [first = 0, second = 0] = der.subarray(start, end);
  const isShortest = size === 1 || first !== 0 || second >= 0x80;
  if (der[at] !== 0x02 || size === 0 || end > der.length || first >= 0x80 || !isShortest) return undefined;
  const digits = der.subarray(first === 0 ? start + 1 : start, end);
  if (digits.length > SCALAR_BYTES) return undefined;
  return { scalar: concat(new Uint8Array(SCALAR_BYTES - digits.length), digits), end };
}
