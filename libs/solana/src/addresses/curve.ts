/** Ed25519: -x² + y² = 1 + d·x²·y² over the integers modulo p. */
const P = 2n ** 255n - 19n;
const LOW_256_BITS = 2n ** 256n - 1n;
const FOLD_TWICE_EVERY = 4;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/** Points whose order divides 8, by y: no key pair worth having, and signatures for them can be made by anyone. */
const SMALL_ORDER_Y = new Set([
  0n,
  1n,
  P - 1n,
  2707385501144840649318225287225658788936804267575313519463743609750303021600n,
  55188659117513257062467267217118295137698188065244968500265048394206261417927n,
]);

/** Reads the y coordinate of a compressed point: 255 bits, little-endian. The top bit is x's sign. */
function yOf(bytes: Uint8Array): bigint {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (
    view.readBigUInt64LE(0) |
    (view.readBigUInt64LE(8) << 64n) |
    (view.readBigUInt64LE(16) << 128n) |
    ((view.readBigUInt64LE(24) & 0x7fffffffffffffffn) << 192n)
  );
}

/**
 * Reports whether 32 bytes are a point of the Ed25519 curve, as Solana's programs decide it. A program-derived address
 * is never a point. There is an x for y when (y²−1)/(d·y²+1) is a square.
 */
export function isCurvePoint(bytes: Uint8Array): boolean {
  const y = yOf(bytes) % P;
  const ySquared = (y * y) % P;
  const u = (ySquared + P - 1n) % P;
  const v = (D * ySquared + 1n) % P;
  // v is never 0 because -1/d is not a square; u/v is a square exactly when u·v is.
  return isSquare((u * v) % P);
}

/** Reports whether bytes are a point that a private key can control: canonical and of large order. */
export function isPublicKey(bytes: Uint8Array): boolean {
  const y = yOf(bytes);
  return y < P && !SMALL_ORDER_Y.has(y) && isCurvePoint(bytes);
}

/** Tests Euler's criterion: a^((p−1)/2) is 1 for squares; (p−1)/2 is 2^254 − 10, computed as a^(2^254 − 16) · a^6. */
function isSquare(a: bigint): boolean {
  if (a === 0n) return true;
  const a2 = (a * a) % P;
  const a6 = (((a2 * a2) % P) * a2) % P;
  return (powerOfOnes(a) * a6) % P === 1n;
}

/** Computes a^(2^254 − 16): 250 one bits and four zeros, by doubling runs of ones. */
function powerOfOnes(a: bigint): bigint {
  const run2 = (squared(a, 1) * a) % P;
  const run4 = (squared(run2, 2) * run2) % P;
  const run5 = (squared(run4, 1) * a) % P;
  const run10 = (squared(run5, 5) * run5) % P;
  const run20 = (squared(run10, 10) * run10) % P;
  const run40 = (squared(run20, 20) * run20) % P;
  const run80 = (squared(run40, 40) * run40) % P;
  const run160 = (squared(run80, 80) * run80) % P;
  const run240 = (squared(run160, 80) * run80) % P;
  const run250 = (squared(run240, 10) * run10) % P;
  return squared(run250, 4);
}

/** Squares, folding at whole machine words instead of dividing: 2^256 is 38 modulo p. A second fold keeps numbers short. */
function squared(a: bigint, times: number): bigint {
  let result = a;
  for (let i = 0; i < times; i += 1) {
    result = folded(result * result);
    if (i % FOLD_TWICE_EVERY === 0) result = folded(result);
  }
  return result % P;
}

function folded(a: bigint): bigint {
  return (a & LOW_256_BITS) + 38n * (a >> 256n);
}
