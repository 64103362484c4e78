const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Five digits are taken at a time: 58^5 times a 16-bit limb still is an exact double. */
const DIGITS_A_STEP = 5;
const STEP = 58 ** DIGITS_A_STEP;

const VALUE_OF_CODE = new Int8Array(128).fill(-1);
for (let value = 0; value < ALPHABET.length; value += 1) VALUE_OF_CODE[ALPHABET.charCodeAt(value)] = value;

/** Writes bytes in Bitcoin's base 58, as Solana writes addresses (32 bytes) and signatures (64 bytes). */
export function encodeBase58(bytes: Uint8Array): string {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros += 1;
  const limbs = limbsOf(bytes);
  const steps: number[] = [];
  let first = 0;
  while (first < limbs.length) {
    let rest = 0;
    for (let i = first; i < limbs.length; i += 1) {
      const value = rest * 0x10000 + limbs[i]!;
      limbs[i] = Math.floor(value / STEP);
      rest = value % STEP;
    }
    steps.push(rest);
    while (first < limbs.length && limbs[first] === 0) first += 1;
  }
  return ALPHABET[0]!.repeat(zeros) + digitsOf(steps);
}

/** 16-bit limbs, the most significant first. */
function limbsOf(bytes: Uint8Array): number[] {
  const limbs: number[] = [];
  let at = bytes.length % 2;
  if (at === 1) limbs.push(bytes[0]!);
  for (; at < bytes.length; at += 2) limbs.push((bytes[at]! << 8) | bytes[at + 1]!);
  return limbs;
}

/** The digits of the steps, given the least significant first, without leading zeros. */
function digitsOf(steps: readonly number[]): string {
  let text = '';
  for (let step of steps) {
    for (let i = 0; i < DIGITS_A_STEP; i += 1) {
      text = ALPHABET[step % 58]! + text;
      step = Math.floor(step / 58);
    }
  }
  let at = 0;
  while (at < text.length && text[at] === ALPHABET[0]) at += 1;
  return text.slice(at);
}

/** Reads the only text that {@link encodeBase58} writes for `size` bytes; undefined for every other text. */
export function decodeBase58(text: string, size: number): Uint8Array | undefined {
  // A byte takes at most 1.37 digits; longer texts are not worth the time.
  if (text.length === 0 || text.length > Math.ceil(size * 1.37)) return undefined;
  const limbs = new Array<number>(Math.ceil(size / 2)).fill(0);
  for (let at = 0; at < text.length;) {
    const end = Math.min(at + DIGITS_A_STEP, text.length);
    let add = 0;
    let times = 1;
    for (; at < end; at += 1) {
      const value = VALUE_OF_CODE[text.charCodeAt(at)] ?? -1;
      if (value < 0) return undefined;
      add = add * 58 + value;
      times *= 58;
    }
    for (let i = limbs.length - 1; i >= 0; i -= 1) {
      const value = limbs[i]! * times + add;
      limbs[i] = value % 0x10000;
      add = Math.floor(value / 0x10000);
    }
    if (add !== 0) return undefined;
  }
  return bytesOf(limbs, size, text);
}

function bytesOf(limbs: readonly number[], size: number, text: string): Uint8Array | undefined {
  const padded = new Uint8Array(limbs.length * 2);
  limbs.forEach((limb, i) => padded.set([limb >> 8, limb & 0xff], i * 2));
  const bytes = padded.subarray(padded.length - size);
  if (bytes.length !== padded.length && padded[0] !== 0) return undefined;
  let zeros = 0;
  while (zeros < size && bytes[zeros] === 0) zeros += 1;
  let ones = 0;
  while (ones < text.length && text[ones] === ALPHABET[0]) ones += 1;
  return zeros === ones ? bytes : undefined;
}
