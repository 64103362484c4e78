import { ADDRESS_BYTES } from '../addresses/address.js';

/** The largest transaction that a node takes: one network packet. */
export const MAX_TRANSACTION_BYTES = 1232;

const SIGNATURE_BYTES = 64;
const VERSIONED = 0x80;

/** Bytes that are not a Solana message, or not the only way to write it. */
export class MalformedMessage extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MalformedMessage';
  }
}

/** Reads a message from its first byte to its last. Every read past the end is refused. */
export class MessageReader {
  #at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  /** Returns the next byte without consuming it. */
  peek(): number {
    const byte = this.bytes[this.#at];
    if (byte === undefined) throw new MalformedMessage('the message ends too early');
    return byte;
  }

  byte(): number {
    const byte = this.peek();
    this.#at += 1;
    return byte;
  }

  /** Returns a view of the next bytes, not a copy. */
  take(count: number): Uint8Array {
    const end = this.#at + count;
    if (end > this.bytes.length) throw new MalformedMessage('the message ends too early');
    const taken = this.bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  /**
   * Reads Solana's compact-u16: seven bits a byte, least significant first, at most three bytes, 16 bits in all.
   * Rejects longer forms of the same number, as the chain's own parser does.
   */
  compactU16(): number {
    let value = 0;
    for (let i = 0; i < 3; i += 1) {
      const byte = this.byte();
      value |= (byte & 0x7f) << (7 * i);
      if (byte < 0x80) {
        if (byte === 0 && i > 0) throw new MalformedMessage('a length is not written in its shortest form');
        if (value > 0xffff) throw new MalformedMessage('a length is larger than 16 bits');
        return value;
      }
    }
    throw new MalformedMessage('a length is longer than three bytes');
  }

  /** Rejects left-over bytes. Call it last. */
  end(): void {
    if (this.#at !== this.bytes.length) throw new MalformedMessage('bytes are left after the message');
  }
}

/** Encodes a number as {@link MessageReader.compactU16} reads it. */
export function compactU16(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>= 7;
  }
  return [...bytes, rest];
}

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

/** Reports whether the key at an index of the message's own keys signs. */
export function isSigner(message: DecodedMessage, index: number): boolean {
  return index < message.requiredSignatures;
}

/** Reports whether the key at an index of the message's own keys may be written to. */
export function isWritable(message: DecodedMessage, index: number): boolean {
  return isSigner(message, index)
    ? index < message.requiredSignatures - message.readonlySigned
    : index < message.keys.length - message.readonlyUnsigned;
}
