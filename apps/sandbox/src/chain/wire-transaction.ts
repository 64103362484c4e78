import type { Key } from '../encoding/keys.js';

/** A transaction as it goes over the wire, read strictly. Bytes are views into `wire`. */
export interface WireTransaction {
  /** The exact bytes. */
  readonly wire: Buffer;
  readonly signatures: readonly Key[];
  readonly message: Message;
}

export interface Message {
  readonly bytes: Buffer;
  readonly version: 'legacy' | 0 | 1;
  readonly requiredSignatures: number;
  readonly readonlySigned: number;
  readonly readonlyUnsigned: number;
  /** Static keys only; those from lookup tables follow them in the numbering of instructions. */
  readonly keys: readonly Key[];
  readonly blockhash: Key;
  readonly instructions: readonly Instruction[];
  readonly lookups: readonly TableLookup[];
  /** Version 1: what its header grants, as data of instructions of the compute budget program. */
  readonly budget?: readonly Buffer[];
}

export interface Instruction {
  readonly programIndex: number;
  readonly accounts: Buffer;
  readonly data: Buffer;
}

export interface TableLookup {
  readonly table: Key;
  readonly writable: Buffer;
  readonly readonly: Buffer;
}
