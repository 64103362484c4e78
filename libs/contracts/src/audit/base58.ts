const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE = 58n;

/** Encodes a few bytes in base58, as Solana writes keys. */
export function toBase58(bytes: Uint8Array): string {
  let text = '';
  for (let rest = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`); rest > 0n; rest /= BASE) {
    text = ALPHABET[Number(rest % BASE)]! + text;
  }
  const firstOther = bytes.findIndex((byte) => byte !== 0);
  return ALPHABET[0]!.repeat(firstOther < 0 ? bytes.length : firstOther) + text;
}

/** Decodes the 32 bytes of a key; undefined for any other text. */
export function keyFromBase58(text: string): Buffer | undefined {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text)) return undefined;
  let value = 0n;
  for (const letter of text) value = value * BASE + BigInt(ALPHABET.indexOf(letter));
  if (value >> 256n) return undefined;
  const bytes = Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
  // One spelling a key: the leading ones must be its zero bytes.
  return toBase58(bytes) === text ? bytes : undefined;
}
