const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const { floor } = Math;
const ZERO = ALPHABET.charCodeAt(0);

/** Five digits are taken at a time: 58^5 times a 16-bit limb still is an exact double. */
const DIGITS_A_STEP = 5;
const STEP = 58 ** DIGITS_A_STEP;
const LIMB = 2 ** 16;

const VALUE_OF_CODE = new Int8Array(128).fill(-1);
for (let value = 0; value < ALPHABET.length; value += 1) VALUE_OF_CODE[ALPHABET.charCodeAt(value)] = value;

/** Writes bytes in Bitcoin's base 58, as Solana writes addresses (32 bytes) and signatures (64 bytes). */
export function encodeBase58(bytes: Uint8Array): string {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros += 1;
  const limbs = limbsOf(bytes);
  // Filled from the end; a byte takes at most 1.37 digits.
  const codes = new Uint8Array(zeros + Math.ceil(bytes.length * 1.37) + DIGITS_A_STEP);
  let at = codes.length;
  for (let first = 0; first < limbs.length;) {
    let rest = 0;
    for (let i = first; i < limbs.length; i += 1) {
      const value = rest * LIMB + limbs[i]!;
      const quotient = floor(value / STEP);
      limbs[i] = quotient;
      rest = value - quotient * STEP;
    }
    for (let i = 0; i < DIGITS_A_STEP; i += 1) {
      codes[--at] = ALPHABET.charCodeAt(rest % 58);
      rest = floor(rest / 58);
    }
    while (first < limbs.length && limbs[first] === 0) first += 1;
  }
  // The last step may have written zeros in front; the value's own leading zero bytes take their place.
  while (at < codes.length && codes[at] === ZERO) at += 1;
  codes.fill(ZERO, at - zeros, at);
  return Buffer.from(codes.buffer, at - zeros, codes.length - at + zeros).toString('latin1');
}

/** Returns the 16-bit limbs of the bytes, most significant first. */
function limbsOf(bytes: Uint8Array): Uint16Array {
  const limbs = new Uint16Array(Math.ceil(bytes.length / 2));
  const odd = bytes.length % 2;
  for (let i = 0; i < limbs.length; i += 1) {
    const at = 2 * i - odd;
    limbs[i] = ((bytes[at] ?? 0) << 8) | bytes[at + 1]!;
  }
  return limbs;
}

/** Reads the only text that {@link encodeBase58} writes for `size` bytes; undefined for every other text. */
export function decodeBase58(text: string, size: number): Uint8Array | undefined {
  // Longer texts cannot fit and are not worth the time.
  if (text.length === 0 || text.length > Math.ceil(size * 1.37)) return undefined;
  const limbs = new Uint16Array(Math.ceil(size / 2));
  for (let at = 0; at < text.length; at += DIGITS_A_STEP) {
    const end = Math.min(at + DIGITS_A_STEP, text.length);
    let carry = 0;
    let times = 1;
    for (let i = at; i < end; i += 1) {
      const value = VALUE_OF_CODE[text.charCodeAt(i)] ?? -1;
      if (value < 0) return undefined;
      carry = carry * 58 + value;
      times *= 58;
    }
    for (let i = limbs.length - 1; i >= 0; i -= 1) {
      const value = limbs[i]! * times + carry;
      carry = floor(value / LIMB);
      limbs[i] = value - carry * LIMB;
    }
    if (carry !== 0) return undefined;
  }
  return bytesOf(limbs, size, text);
}

/** Returns the limbs' bytes if they are `size` and begin with as many zeros as the text; otherwise undefined. */
function bytesOf(limbs: Uint16Array, size: number, text: string): Uint8Array | undefined {
  const odd = size % 2;
  if (odd === 1 && limbs[0]! > 0xff) return undefined;
  const bytes = new Uint8Array(size);
  for (let i = 0; i < size; i += 1) {
    const limb = limbs[(i + odd) >> 1]!;
    bytes[i] = (i + odd) % 2 === 0 ? limb >> 8 : limb & 0xff;
  }
  let zeros = 0;
  while (zeros < size && bytes[zeros] === 0) zeros += 1;
  for (let i = 0; i < zeros; i += 1) if (text.charCodeAt(i) !== ZERO) return undefined;
  return text.charCodeAt(zeros) === ZERO ? undefined : bytes;
}
