import { sha256 as hash } from '@noble/hashes/sha2.js';

/** Bytes as Web Crypto takes them. */
export type Bytes = Uint8Array<ArrayBuffer>;

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const KEY_BYTES = 32;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Encodes text in UTF-8. */
export function utf8(text: string): Bytes {
  return encoder.encode(text);
}

/** Decodes UTF-8. */
export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Joins byte strings. */
export function concat(...parts: readonly Uint8Array[]): Bytes {
  const joined = new Uint8Array(parts.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Encodes bytes in lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}

/** Decodes hexadecimal in lower case; undefined for any other text. */
export function fromHex(text: string): Bytes | undefined {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/.test(text)) return undefined;
  return Uint8Array.from({ length: text.length / 2 }, (_, n) => parseInt(text.slice(2 * n, 2 * n + 2), 16));
}

/** Decodes base64 with its padding; undefined for any other text. */
export function fromBase64(text: string): Bytes | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return undefined;
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** Encodes bytes in base64url without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Decodes the 32 bytes of a key from base58, in its one spelling; undefined for any other text. */
export function keyFromBase58(text: string): Bytes | undefined {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text)) return undefined;
  let value = 0n;
  for (const letter of text) value = value * 58n + BigInt(ALPHABET.indexOf(letter));
  if (value >> BigInt(8 * KEY_BYTES)) return undefined;
  const bytes = fromHex(value.toString(16).padStart(2 * KEY_BYTES, '0'));
  const zeros = bytes?.findIndex((byte) => byte !== 0);
  return zeros === /^1*/.exec(text)![0].length ? bytes : undefined;
}

/** Encodes an integer in eight bytes, the highest first. */
export function u64(value: number): Bytes {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return bytes;
}

/** Decodes the 16 bytes of a UUID in lower case; undefined for any other text. */
export function uuidBytes(id: string): Bytes | undefined {
  return UUID.test(id) ? fromHex(id.replaceAll('-', '')) : undefined;
}

/** Computes SHA-256. Web Crypto's costs a promise for each hash, and a long log has millions. */
export function sha256(bytes: Uint8Array): Bytes {
  return new Uint8Array(hash(bytes));
}

/** Compares byte strings. */
export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, n) => byte === other[n]);
}
