import { AttestationRefused } from '../attestation-refused.js';

/*
 * CBOR (RFC 8949) of the plain kind that attestation documents are made of: integers, byte strings, texts, arrays, maps
 * and null. A library that reads all of CBOR makes dates, records, tables and references of what a stranger sends, so
 * that the bytes would have to be walked first in any case; this walk reads them.
 */

const MAX_DEPTH = 4;
const MAX_ITEMS = 256;

const UNSIGNED = 0;
const NEGATIVE = 1;
const BYTES = 2;
const TEXT = 3;
const ARRAY = 4;
const MAP = 5;
const NULL = 0xf6;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A value of the plain kind. */
export type PlainCbor = number | string | null | Buffer | readonly PlainCbor[] | ReadonlyMap<unknown, PlainCbor>;

/**
 * Reads bytes that are exactly one plain item: every number and length in its shortest form, every length known, no key of
 * a map twice, bounded in depth and number of parts.
 * @throws AttestationRefused `malformed`
 */
export function readPlainCbor(bytes: Uint8Array): PlainCbor {
  const cursor: Cursor = { bytes: Buffer.from(bytes), offset: 0, items: 0 };
  const value = readItem(cursor, 0);
  if (cursor.offset !== cursor.bytes.length) throw malformed('something follows the end');
  return value;
}

export function malformed(why: string, options?: ErrorOptions): AttestationRefused {
  return new AttestationRefused('malformed', `this is not a Nitro attestation document: ${why}`, options);
}

interface Cursor {
  readonly bytes: Buffer;
  offset: number;
  items: number;
}

function readItem(cursor: Cursor, depth: number): PlainCbor {
  cursor.items += 1;
  if (depth > MAX_DEPTH || cursor.items > MAX_ITEMS) throw malformed('it is nested too deep, or has too many parts');
  const initial = cursor.bytes[cursor.offset] ?? 0xff;
  const size = readHead(cursor);
  switch (initial >> 5) {
    case UNSIGNED:
      return size;
    case NEGATIVE:
      return -1 - size;
    case BYTES:
      return readBytes(cursor, size);
    case TEXT:
      return readText(readBytes(cursor, size));
    case ARRAY:
      return readArray(cursor, size, depth);
    case MAP:
      return readMap(cursor, size, depth);
    default:
      if (initial === NULL) return null;
      throw malformed('it holds a tag, a float or another unusual value');
  }
}

/** Reads an item's head; gives its number: a value, a length, or how many items follow. */
function readHead(cursor: Cursor): number {
  const { bytes } = cursor;
  const short = (bytes[cursor.offset] ?? 0xff) & 0x1f;
  cursor.offset += 1;
  if (short < 24) return short;
  const width = 2 ** (short - 24);
  if (short > 27 || cursor.offset + width > bytes.length) throw malformed('it ends too early, or has no known length');
  const value = width === 8 ? Number(bytes.readBigUInt64BE(cursor.offset)) : bytes.readUIntBE(cursor.offset, width);
  cursor.offset += width;
  const isShortest = value >= (width === 1 ? 24 : 2 ** (width * 4));
  if (!isShortest || value >= Number.MAX_SAFE_INTEGER) throw malformed('a number is not in its one form, or too large');
  return value;
}

function readBytes(cursor: Cursor, size: number): Buffer {
  const end = cursor.offset + size;
  if (end > cursor.bytes.length) throw malformed('it ends too early');
  const bytes = cursor.bytes.subarray(cursor.offset, end);
  cursor.offset = end;
  return bytes;
}

function readText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw malformed('a text is not UTF-8', { cause });
  }
}

function readArray(cursor: Cursor, size: number, depth: number): PlainCbor[] {
  const items: PlainCbor[] = [];
  while (items.length < size) items.push(readItem(cursor, depth + 1));
  return items;
}

function readMap(cursor: Cursor, size: number, depth: number): Map<unknown, PlainCbor> {
  const entries = new Map<unknown, PlainCbor>();
  for (let i = 0; i < size; i += 1) {
    const key = readItem(cursor, depth + 1);
    if (typeof key !== 'string' && typeof key !== 'number') throw malformed('a key is neither a text nor a number');
    if (entries.has(key)) throw malformed('a key stands there twice');
    entries.set(key, readItem(cursor, depth + 1));
  }
  return entries;
}

/** Writes a value of the plain kind. */
export function writePlainCbor(value: PlainCbor): Buffer {
  if (value === null) return Buffer.from([NULL]);
  if (typeof value === 'number') return value < 0 ? head(NEGATIVE, -1 - value) : head(UNSIGNED, value);
  if (typeof value === 'string') return Buffer.concat([head(TEXT, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(BYTES, value.length), value]);
  if (value instanceof Map) {
    const entries = [...(value as ReadonlyMap<PlainCbor, PlainCbor>)].flatMap(([key, item]) => [key, item]);
    return Buffer.concat([head(MAP, value.size), ...entries.map(writePlainCbor)]);
  }
  const items = value as readonly PlainCbor[];
  return Buffer.concat([head(ARRAY, items.length), ...items.map(writePlainCbor)]);
}

function head(kind: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(kind << 5) | size]);
  const short = [0x100, 0x1_0000, 0x1_0000_0000].findIndex((limit) => size < limit);
  const bytes = Buffer.alloc(9);
  bytes.writeBigUInt64BE(BigInt(size), 1);
  const width = short === -1 ? 8 : 2 ** short;
  bytes[8 - width] = (kind << 5) | (short === -1 ? 27 : 24 + short);
  return bytes.subarray(8 - width);
}
