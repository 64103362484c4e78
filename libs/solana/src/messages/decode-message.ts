import { ADDRESS_BYTES } from '../addresses/address.js';
import { MalformedMessage, MessageReader } from './message-reader.js';

/** The largest transaction that a node takes: one network packet. */
export const MAX_TRANSACTION_BYTES = 1232;

const SIGNATURE_BYTES = 64;
const VERSIONED = 0x80;

/** A message taken apart. Byte arrays are views of the message. */
export interface DecodedMessage {
  readonly version: 'legacy' | 0;
  /** The first so many keys sign; the first of them pays. */
  readonly requiredSignatures: number;
  readonly readonlySigned: number;
  readonly readonlyUnsigned: number;
  /** Addresses written in the message itself. */
  readonly keys: readonly Uint8Array[];
  readonly blockhash: Uint8Array;
  readonly instructions: readonly DecodedInstruction[];
  readonly lookups: readonly AddressLookup[];
}

/** One call of a program. Numbers index the message's keys, then the addresses that tables bring in. */
export interface DecodedInstruction {
  readonly program: number;
  readonly accounts: Uint8Array;
  readonly data: Uint8Array;
}

/** Addresses that a message takes from a table on chain. */
export interface AddressLookup {
  readonly table: Uint8Array;
  readonly writable: Uint8Array;
  readonly readonly: Uint8Array;
}

/**
 * Takes a serialized message (legacy or v0) apart, every byte accounted for, and applies the chain's own sanity
 * rules: counts that fit, indexes that exist, no key twice.
 * @throws MalformedMessage
 */
export function decodeMessage(bytes: Uint8Array): DecodedMessage {
  const reader = new MessageReader(bytes);
  const version = readVersion(reader);
  const requiredSignatures = reader.byte();
  const readonlySigned = reader.byte();
  const readonlyUnsigned = reader.byte();
  const keys = readMany(reader, () => reader.take(ADDRESS_BYTES));
  const blockhash = reader.take(ADDRESS_BYTES);
  const instructions = readMany(reader, () => readInstruction(reader));
  const lookups = version === 0 ? readMany(reader, () => readLookup(reader)) : [];
  reader.end();
  const message = {
    version,
    requiredSignatures,
    readonlySigned,
    readonlyUnsigned,
    keys,
    blockhash,
    instructions,
    lookups,
  };
  checkSize(bytes, requiredSignatures);
  checkHeader(message);
  checkKeys(keys);
  checkIndexes(message);
  return message;
}

function readVersion(reader: MessageReader): 'legacy' | 0 {
  const prefix = reader.peek();
  if (prefix < VERSIONED) return 'legacy';
  if (prefix !== VERSIONED) throw new MalformedMessage('the version of the message is not known');
  reader.byte();
  return 0;
}

function readMany<Item>(reader: MessageReader, read: () => Item): Item[] {
  const count = reader.compactU16();
  const items: Item[] = [];
  // Each read refuses to go past the end, so a hostile count stops early.
  for (let i = 0; i < count; i += 1) items.push(read());
  return items;
}

function readInstruction(reader: MessageReader): DecodedInstruction {
  const program = reader.byte();
  const accounts = reader.take(reader.compactU16());
  const data = reader.take(reader.compactU16());
  return { program, accounts, data };
}

function readLookup(reader: MessageReader): AddressLookup {
  const table = reader.take(ADDRESS_BYTES);
  const writable = reader.take(reader.compactU16());
  const readonly = reader.take(reader.compactU16());
  return { table, writable, readonly };
}

function checkSize(bytes: Uint8Array, signatures: number): void {
  if (bytes.length + 1 + signatures * SIGNATURE_BYTES > MAX_TRANSACTION_BYTES) {
    throw new MalformedMessage('the transaction is larger than a packet');
  }
}

function checkHeader({ requiredSignatures, readonlySigned, readonlyUnsigned, keys }: DecodedMessage): void {
  if (requiredSignatures === 0 || readonlySigned >= requiredSignatures) {
    throw new MalformedMessage('no signer can pay');
  }
  if (requiredSignatures + readonlyUnsigned > keys.length) {
    throw new MalformedMessage('the header counts more keys than there are');
  }
}

function checkKeys(keys: readonly Uint8Array[]): void {
  const seen = new Set(keys.map((key) => Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')));
  if (seen.size !== keys.length) throw new MalformedMessage('a key is listed twice');
}

function checkIndexes({ keys, instructions, lookups }: DecodedMessage): void {
  const lookedUp = lookups.reduce((sum, { writable, readonly }) => sum + writable.length + readonly.length, 0);
  const addresses = keys.length + lookedUp;
  if (addresses > 256) throw new MalformedMessage('more addresses than an index can name');
  for (const { program, accounts } of instructions) {
    // Programs must be written in the message itself, and the payer is none.
    if (program === 0 || program >= keys.length) throw new MalformedMessage('an instruction names no program');
    if (accounts.some((index) => index >= addresses)) throw new MalformedMessage('an instruction names no account');
  }
}

/** Whether the key at an index of the message's own keys signs. */
export function isSigner(message: DecodedMessage, index: number): boolean {
  return index < message.requiredSignatures;
}

/** Whether the key at an index of the message's own keys may be written to. */
export function isWritable(message: DecodedMessage, index: number): boolean {
  return isSigner(message, index)
    ? index < message.requiredSignatures - message.readonlySigned
    : index < message.keys.length - message.readonlyUnsigned;
}
