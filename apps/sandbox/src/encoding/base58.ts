const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

const VALUES = new Int8Array(128).fill(-1);
for (let i = 0; i < ALPHABET.length; i++) VALUES[ALPHABET.charCodeAt(i)] = i;

/** Five digits at a time: 58^5 times a 16-bit limb stays far below 2^53, so plain numbers are exact. */
const CHUNK = 5;
const CHUNK_BASE = 58 ** CHUNK;

/** Writes bytes in base58, as Solana prints keys, signatures and blockhashes. */
export function encodeBase58(bytes: Uint8Array): string {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  const limbs = toLimbs(bytes);
  let text = '';
  let start = 0;
  while (start < limbs.length) {
    let remainder = 0;
    for (let i = start; i < limbs.length; i++) {
      const value = remainder * 65536 + limbs[i]!;
      limbs[i] = Math.floor(value / CHUNK_BASE);
      remainder = value % CHUNK_BASE;
    }
    while (start < limbs.length && limbs[start] === 0) start++;
    const last = start === limbs.length;
    for (let digit = 0; digit < CHUNK && !(last && remainder === 0); digit++) {
      text = ALPHABET[remainder % 58]! + text;
      remainder = Math.floor(remainder / 58);
    }
  }
  return '1'.repeat(zeros) + text;
}

/** Reads base58; undefined when a character does not belong to it or the text is absurdly long. */
export function decodeBase58(text: string): Buffer | undefined {
  if (text.length > 2048) return undefined;
  let zeros = 0;
  while (zeros < text.length && text[zeros] === '1') zeros++;
  const limbs: number[] = [];
  for (let at = zeros; at < text.length; at += CHUNK) {
    const end = Math.min(at + CHUNK, text.length);
    let carry = 0;
    for (let i = at; i < end; i++) {
      const value = VALUES[text.charCodeAt(i)] ?? -1;
      if (value < 0) return undefined;
      carry = carry * 58 + value;
    }
    const base = 58 ** (end - at);
    for (let i = 0; i < limbs.length; i++) {
      const value = limbs[i]! * base + carry;
      limbs[i] = value % 65536;
      carry = Math.floor(value / 65536);
    }
    while (carry > 0) {
      limbs.push(carry % 65536);
      carry = Math.floor(carry / 65536);
    }
  }
  return fromLimbs(limbs, zeros);
}

/** Big-endian 16-bit limbs, most significant first. */
function toLimbs(bytes: Uint8Array): number[] {
  const limbs: number[] = [];
  const odd = bytes.length % 2;
  if (odd) limbs.push(bytes[0]!);
  for (let i = odd; i < bytes.length; i += 2) limbs.push(bytes[i]! * 256 + bytes[i + 1]!);
  let start = 0;
  while (start < limbs.length && limbs[start] === 0) start++;
  return start === 0 ? limbs : limbs.slice(start);
}

function fromLimbs(limbs: number[], zeros: number): Buffer {
  const bytes: number[] = [];
  for (let i = limbs.length - 1; i >= 0; i--) bytes.push(limbs[i]! >> 8, limbs[i]! & 255);
  let start = 0;
  while (start < bytes.length && bytes[start] === 0) start++;
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(bytes.slice(start))]);
}
