import { compactU16 } from '../messages/decode-message.js';

/** A message's parts, all of them free to be wrong. */
export interface MessageParts {
  prefix: number[];
  header: [requiredSignatures: number, readonlySigned: number, readonlyUnsigned: number];
  keys: Uint8Array[];
  blockhash: Uint8Array;
  instructions: { program: number; accounts: number[]; data: Uint8Array }[];
  /** Undefined for a legacy message. */
  lookups: { table: Uint8Array; writable: number[]; readonly: number[] }[] | undefined;
  /** Bytes after the message. */
  suffix: Uint8Array;
}

/** Encoder of lengths; only the shortest form is valid. */
export type LengthWriter = (value: number, place: string) => readonly number[];

/** Encodes a message as given, right or wrong. */
export function encodeMessage(parts: MessageParts, length: LengthWriter = compactU16): Uint8Array {
  const { prefix, header, keys, blockhash, instructions, lookups, suffix } = parts;
  const bytes = (list: readonly number[], place: string) => [...length(list.length, place), ...list];
  return Uint8Array.from([
    ...prefix,
    ...header,
    ...length(keys.length, 'keys'),
    ...keys.flatMap((key) => [...key]),
    ...blockhash,
    ...length(instructions.length, 'instructions'),
    ...instructions.flatMap(({ program, accounts, data }) => [
      program,
      ...bytes(accounts, 'accounts'),
      ...bytes([...data], 'data'),
    ]),
    ...(lookups
      ? [
          ...length(lookups.length, 'lookups'),
          ...lookups.flatMap(({ table, writable, readonly }) => [
            ...table,
            ...bytes(writable, 'writable'),
            ...bytes(readonly, 'readonly'),
          ]),
        ]
      : []),
    ...suffix,
  ]);
}
