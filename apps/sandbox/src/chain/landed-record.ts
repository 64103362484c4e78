import { ByteReader, ByteWriter } from '../encoding/bytes.js';
import { type Key, keyAt, keyBytes } from '../encoding/keys.js';
import { type AccountChange, readChange, writeChange } from './account.js';

/** Everything a landing leaves behind, as the journal keeps it. */
export interface LandedRecord {
  readonly slot: number;
  readonly height: number;
  readonly timeMs: number;
  /** The error as JSON text; null when the transaction succeeded. */
  readonly error: string | null;
  readonly wire: Buffer;
  /** The `meta` of getTransaction, as JSON text. */
  readonly meta: string;
  /** Accounts that lookup tables added. */
  readonly loaded: readonly Key[];
  /** Owners of the token accounts that took part. */
  readonly tokenOwners: readonly Key[];
  readonly changes: readonly AccountChange[];
}

const NUMBERS_BYTES = 24;

/** Where wire bytes and metadata lie inside a record: all that is needed to answer getTransaction from the file. */
export interface RecordParts {
  readonly wireAt: number;
  readonly wireLength: number;
  readonly metaLength: number;
}

/** Writes a record. The bytes that are read back later come first, one behind the other. */
export function writeLanded(record: LandedRecord): Buffer {
  const meta = Buffer.from(record.meta);
  const writer = new ByteWriter().f64(record.slot).f64(record.height).f64(record.timeMs);
  writer.u16(record.wire.length).u32(meta.length).push(record.wire).push(meta);
  writer.text(record.error ?? '');
  writeKeys(writer, record.loaded);
  writeKeys(writer, record.tokenOwners);
  writer.u16(record.changes.length);
  for (const { key, after } of record.changes) writeChange(writer, key, after);
  return writer.done();
}

/** Reads everything but the metadata, which stays in the file. */
export function readLanded(payload: Buffer): Omit<LandedRecord, 'meta'> & { parts: RecordParts } {
  const reader = new ByteReader(payload);
  const [slot, height, timeMs] = [reader.f64(), reader.f64(), reader.f64()];
  const wireLength = reader.u16();
  const metaLength = reader.u32();
  const wire = reader.take(wireLength);
  reader.take(metaLength);
  const error = reader.take(reader.u32()).toString() || null;
  const loaded = readKeys(reader);
  const tokenOwners = readKeys(reader);
  const changes = Array.from({ length: reader.u16() }, () => readChange(reader));
  const parts = { wireAt: NUMBERS_BYTES + 6, wireLength, metaLength };
  return { slot, height, timeMs, error, wire, loaded, tokenOwners, changes, parts };
}

/** The parts of a record that was just written. */
export function partsOf(record: LandedRecord): RecordParts {
  const metaLength = Buffer.byteLength(record.meta);
  return { wireAt: NUMBERS_BYTES + 6, wireLength: record.wire.length, metaLength };
}

function writeKeys(writer: ByteWriter, keys: readonly Key[]): void {
  writer.u16(keys.length);
  for (const key of keys) writer.push(keyBytes(key));
}

function readKeys(reader: ByteReader): Key[] {
  return Array.from({ length: reader.u16() }, () => keyAt(reader.take(32)));
}
