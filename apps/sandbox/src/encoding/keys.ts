import { decodeBase58, encodeBase58 } from './base58.js';

/**
 * A public key (32 bytes) or a signature (64 bytes) as a one-byte string. Maps are keyed by it: making one costs a
 * tenth of base58, which is only written at the edges.
 */
export type Key = string & { readonly brand: 'Key' };

/** The key at an offset of a buffer. */
export function keyAt(bytes: Buffer, offset = 0, length = 32): Key {
  return bytes.toString('latin1', offset, offset + length) as Key;
}

/** The key of raw bytes that are not a Buffer. */
export function keyOf(bytes: Uint8Array): Key {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1') as Key;
}

/** The raw bytes of a key. */
export function keyBytes(key: Key): Buffer {
  return Buffer.from(key, 'latin1');
}

/** Base58, as users write it. */
export function keyText(key: Key): string {
  return encodeBase58(Buffer.from(key, 'latin1'));
}

/** Reads a base58 key of `length` bytes; undefined when the text is none. */
export function parseKey(text: unknown, length = 32): Key | undefined {
  if (typeof text !== 'string' || text.length > 2 * length) return undefined;
  const bytes = decodeBase58(text);
  return bytes?.length === length ? keyAt(bytes, 0, length) : undefined;
}

/** A key known to be right, from its base58 text. @throws Error when it is not */
export function key(text: string): Key {
  const parsed = parseKey(text);
  if (parsed === undefined) throw new Error(`not a public key: ${text}`);
  return parsed;
}
