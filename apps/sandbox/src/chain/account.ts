import { ByteReader, ByteWriter } from '../encoding/bytes.js';
import { type Key, keyAt, keyBytes } from '../encoding/keys.js';

/** One account's state. Never changed in place: a new state is a new object, so older views can keep theirs. */
export interface Account {
  readonly lamports: bigint;
  readonly owner: Key;
  readonly data: Buffer;
  readonly executable: boolean;
}

/** A new state of an account; undefined when it is gone. */
export interface AccountChange {
  readonly key: Key;
  readonly after: Account | undefined;
}

/** Writes a change in the form the journal and the snapshot keep. */
export function writeChange(writer: ByteWriter, key: Key, after: Account | undefined): void {
  writer.push(keyBytes(key)).u8(after ? 1 : 0);
  if (!after) return;
  writer
    .u64(after.lamports)
    .u8(after.executable ? 1 : 0)
    .push(keyBytes(after.owner));
  writer.u32(after.data.length).push(after.data);
}

/** Writes changes with their number before them. */
export function writeChanges(changes: readonly AccountChange[]): Buffer {
  const writer = new ByteWriter().u32(changes.length);
  for (const { key, after } of changes) writeChange(writer, key, after);
  return writer.done();
}

/** Reads what `writeChanges` wrote. */
export function readChanges(payload: Buffer): AccountChange[] {
  const reader = new ByteReader(payload);
  return Array.from({ length: reader.u32() }, () => readChange(reader));
}

/** Reads what `writeChange` wrote; the data is copied, so that it does not hold the file's buffer. */
export function readChange(reader: ByteReader): AccountChange {
  const key = keyAt(reader.take(32));
  if (reader.u8() === 0) return { key, after: undefined };
  const lamports = reader.u64();
  const executable = reader.u8() === 1;
  const owner = keyAt(reader.take(32));
  const data = Buffer.from(reader.take(reader.u32()));
  return { key, after: { lamports, owner, data, executable } };
}
