import { createPublicKey, verify } from 'node:crypto';
import { ByteReader, ByteWriter } from '../encoding/bytes.js';
import { keyAt, keyBytes } from '../encoding/keys.js';
import type { Instruction, WireTransaction } from './wire-transaction.js';
import { COMPUTE_BUDGET_PROGRAM } from './programs.js';

/** First byte of a version 1 transaction. Older ones begin with the number of signatures, which has no highest bit. */
const V1_PREFIX = 0x81;
/** Offset of the blockhash: behind the version, the header and the config mask. */
export const V1_BLOCKHASH_AT = 1 + 3 + 4;
/** SIMD-0296: the longest transaction of this version. */
const MAX_BYTES = 4096;
const SIGNATURE_BYTES = 64;

/** Bits of the config mask: the priority fee in lamports takes two, as its value is twice as long as the others. */
const PRIORITY_FEE = 0b11;
const UNIT_LIMIT = 0b100;
const LOADED_BYTES = 0b1000;
const HEAP_BYTES = 0b10000;
const KNOWN_BITS = PRIORITY_FEE | UNIT_LIMIT | LOADED_BYTES | HEAP_BYTES;

const MICRO_LAMPORTS = 1_000_000n;
/** DER of an Ed25519 public key, up to the key itself. */
const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/** Reports whether the bytes are a transaction of version 1. */
export function isV1(wire: Buffer): boolean {
  return wire[0] === V1_PREFIX;
}

/**
 * Reads a version 1 transaction (SIMD-0385): its message comes first, its signatures last, and what it grants itself is
 * in its header and not in instructions.
 * @throws RangeError when its form is wrong
 */
export function readV1(wire: Buffer): WireTransaction {
  if (wire.length > MAX_BYTES) throw new RangeError(`longer than ${MAX_BYTES} bytes`);
  const reader = new ByteReader(wire);
  reader.u8();
  const [requiredSignatures, readonlySigned, readonlyUnsigned] = [reader.u8(), reader.u8(), reader.u8()];
  const mask = reader.u32();
  const blockhash = keyAt(reader.take(32));
  const [instructionCount, keyCount] = [reader.u8(), reader.u8()];
  const keys = listOf(keyCount, () => keyAt(reader.take(32)));
  const budget = readBudget(reader, mask);
  const headers = listOf(instructionCount, () => [reader.u8(), reader.u8(), reader.u16()] as const);
  const instructions = headers.map(([programIndex, accounts, data]) => {
    return { programIndex, accounts: reader.take(accounts), data: reader.take(data) };
  });
  const bytes = wire.subarray(0, reader.at);
  const signatures = listOf(requiredSignatures, () => keyAt(reader.take(SIGNATURE_BYTES), 0, SIGNATURE_BYTES));
  if (reader.left > 0) throw new RangeError('bytes are left over');
  const counts = { requiredSignatures, readonlySigned, readonlyUnsigned };
  const message = { bytes, version: 1, ...counts, keys, blockhash, instructions, lookups: [], budget } as const;
  return { wire, signatures, message };
}

/**
 * Returns the legacy transaction that does the same, for a virtual machine that does not know this version. Its
 * signatures are not valid for it: see `isSigned`. Instructions and keys keep their numbers; those that set the budget
 * come last.
 */
export function asLegacy({ signatures, message }: WireTransaction): Buffer {
  const keys = [...message.keys];
  const budget = message.budget ?? [];
  if (budget.length > 0 && !keys.includes(COMPUTE_BUDGET_PROGRAM)) keys.push(COMPUTE_BUDGET_PROGRAM);
  const added = keys.length - message.keys.length;
  const programIndex = keys.indexOf(COMPUTE_BUDGET_PROGRAM);
  const instructions = [
    ...message.instructions,
    ...budget.map((data) => ({ programIndex, accounts: Buffer.alloc(0), data })),
  ];
  const writer = new ByteWriter();
  compact(writer, signatures.length);
  for (const signature of signatures) writer.push(keyBytes(signature));
  writer.u8(message.requiredSignatures).u8(message.readonlySigned);
  writer.u8(message.readonlyUnsigned + added);
  compact(writer, keys.length);
  for (const each of keys) writer.push(keyBytes(each));
  writer.push(keyBytes(message.blockhash));
  compact(writer, instructions.length);
  for (const each of instructions) writeInstruction(writer, each);
  return writer.done();
}

/** Reports whether every signature is its key's signature of the message. */
export function isSigned({ signatures, message }: WireTransaction): boolean {
  return signatures.every((signature, index) => {
    const key = {
      key: Buffer.concat([ED25519_SPKI, keyBytes(message.keys[index]!)]),
      format: 'der',
      type: 'spki',
    } as const;
    return verify(null, message.bytes, createPublicKey(key), keyBytes(signature));
  });
}

/** Reads what the header grants, as the data of instructions of the compute budget program. */
function readBudget(reader: ByteReader, mask: number): Buffer[] {
  if ((mask & ~KNOWN_BITS) !== 0) throw new RangeError('the config mask has an unknown bit');
  const feeBits = mask & PRIORITY_FEE;
  if (feeBits !== 0 && feeBits !== PRIORITY_FEE) throw new RangeError('the config mask has half a priority fee');
  const fee = feeBits === 0 ? 0n : reader.u64();
  const limit = (mask & UNIT_LIMIT) === 0 ? undefined : reader.u32();
  const loaded = (mask & LOADED_BYTES) === 0 ? undefined : reader.u32();
  const heap = (mask & HEAP_BYTES) === 0 ? undefined : reader.u32();
  if (fee > 0n && !limit) throw new RangeError('a priority fee needs a compute unit limit here');
  return [
    ...(heap === undefined ? [] : [new ByteWriter().u8(1).u32(heap).done()]),
    ...(limit === undefined ? [] : [new ByteWriter().u8(2).u32(limit).done()]),
    // The machine rounds up, so that up to a million units exactly the fee is charged, and above at most a lamport less.
    ...(fee === 0n
      ? []
      : [
          new ByteWriter()
            .u8(3)
            .u64((fee * MICRO_LAMPORTS) / BigInt(limit!))
            .done(),
        ]),
    ...(loaded === undefined ? [] : [new ByteWriter().u8(4).u32(loaded).done()]),
  ];
}

function writeInstruction(writer: ByteWriter, { programIndex, accounts, data }: Instruction): void {
  writer.u8(programIndex);
  compact(writer, accounts.length);
  writer.push(accounts);
  compact(writer, data.length);
  writer.push(data);
}

function compact(writer: ByteWriter, value: number): void {
  let left = value;
  for (; left > 127; left >>= 7) writer.u8((left & 127) | 128);
  writer.u8(left);
}

function listOf<T>(length: number, read: () => T): T[] {
  return Array.from({ length }, read);
}
