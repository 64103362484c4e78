import { ByteReader } from '../encoding/bytes.js';
import { type Key, keyAt } from '../encoding/keys.js';
import { isV1, readV1 } from './v1-transaction.js';
import type { Instruction, Message, TableLookup, WireTransaction } from './wire-transaction.js';

/** A packet on the real network; nothing longer of the older versions ever lands. */
export const MAX_TRANSACTION_BYTES = 1232;

const SIGNATURE_BYTES = 64;

/** The bytes are not a transaction; the text says why, in the words a node uses. */
export class MalformedTransaction extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MalformedTransaction';
  }
}

/**
 * Reads a transaction and checks its form completely: lengths, header, indices, nothing left over. litesvm aborts the
 * whole process on bytes it cannot read, so nothing reaches it that has not passed here.
 * @throws MalformedTransaction
 */
export function readTransaction(wire: Buffer): WireTransaction {
  try {
    if (isV1(wire)) {
      const tx = readV1(wire);
      return { ...tx, message: checked(tx.message) };
    }
    if (wire.length > MAX_TRANSACTION_BYTES) throw new RangeError(`longer than ${MAX_TRANSACTION_BYTES} bytes`);
    const reader = new ByteReader(wire);
    const count = reader.compactU16();
    const signatures = Array.from({ length: count }, () => keyAt(reader.take(SIGNATURE_BYTES), 0, SIGNATURE_BYTES));
    const message = readMessage(wire.subarray(reader.at));
    if (count !== message.requiredSignatures)
      throw new RangeError('the number of signatures does not match the header');
    return { wire, signatures, message };
  } catch (error) {
    throw new MalformedTransaction(error instanceof Error ? error.message : String(error));
  }
}

/** Reads a message, legacy or version 0. @throws RangeError when its form is wrong */
export function readMessage(bytes: Buffer): Message {
  const reader = new ByteReader(bytes);
  let first = reader.u8();
  const version = (first & 128) === 0 ? 'legacy' : 0;
  if (version === 0) {
    if (first !== 128) throw new RangeError(`message version ${first & 127} is not supported`);
    first = reader.u8();
  }
  const readonlySigned = reader.u8();
  const readonlyUnsigned = reader.u8();
  const keys = readKeys(reader);
  const blockhash = keyAt(reader.take(32));
  const instructions = readList(reader, readInstruction);
  const lookups = version === 0 ? readList(reader, readLookup) : [];
  if (reader.left > 0) throw new RangeError('bytes are left over');
  const message = {
    bytes,
    version,
    requiredSignatures: first,
    readonlySigned,
    readonlyUnsigned,
    keys,
    blockhash,
  } as const;
  return checked({ ...message, instructions, lookups });
}

/** How many accounts instructions may name: the static ones and those that tables add. */
function accountCount(message: Message): number {
  return message.lookups.reduce((sum, l) => sum + l.writable.length + l.readonly.length, message.keys.length);
}

/** Whether the message asks to write to the static key at this index. */
export function isWritableStatic(message: Message, index: number): boolean {
  if (index < message.requiredSignatures) return index < message.requiredSignatures - message.readonlySigned;
  return index < message.keys.length - message.readonlyUnsigned;
}

function checked(message: Message): Message {
  const { requiredSignatures, readonlySigned, readonlyUnsigned, keys } = message;
  if (requiredSignatures === 0) throw new RangeError('the message has no signer');
  if (readonlySigned >= requiredSignatures) throw new RangeError('the fee payer must be writable');
  if (requiredSignatures + readonlyUnsigned > keys.length)
    throw new RangeError('the header names more keys than there are');
  const total = accountCount(message);
  if (total > 256) throw new RangeError('more than 256 accounts');
  for (const lookup of message.lookups) {
    if (lookup.writable.length + lookup.readonly.length === 0) throw new RangeError('an empty table lookup');
  }
  for (const { programIndex, accounts } of message.instructions) {
    if (programIndex === 0 || programIndex >= keys.length) throw new RangeError('a program index is out of range');
    for (const index of accounts) if (index >= total) throw new RangeError('an account index is out of range');
  }
  return message;
}

function readKeys(reader: ByteReader): Key[] {
  return readList(reader, (r) => keyAt(r.take(32)));
}

function readInstruction(reader: ByteReader): Instruction {
  const programIndex = reader.u8();
  const accounts = reader.take(reader.compactU16());
  return { programIndex, accounts, data: reader.take(reader.compactU16()) };
}

function readLookup(reader: ByteReader): TableLookup {
  const table = keyAt(reader.take(32));
  const writable = reader.take(reader.compactU16());
  return { table, writable, readonly: reader.take(reader.compactU16()) };
}

function readList<T>(reader: ByteReader, read: (reader: ByteReader) => T): T[] {
  const length = reader.compactU16();
  const items: T[] = [];
  for (let i = 0; i < length; i++) items.push(read(reader));
  return items;
}
