import { compactU16 } from '../messages/decode-message.js';
import { LOOKUP_TABLE, THIEF, UNKNOWN_PROGRAM } from './actors.js';
import { encodeMessage, type LengthWriter, type MessageParts } from './encode-message.js';
import { type Forgery, honestMessage, partsOf } from './forgery.js';
import type { Scenario } from './scenarios.js';

/** Messages that no honest builder writes: wrong headers, keys, indexes, lengths, versions, tables. */
export function forgedBytes(scenario: Scenario): Forgery[] {
  const honest = honestMessage(scenario);
  const forgery = (name: string, tamper: (parts: MessageParts) => void): Forgery => {
    const parts = partsOf(honest);
    tamper(parts);
    return { name, message: encodeMessage(parts) };
  };
  return [
    ...forgedHeaders(forgery),
    ...forgedKeys(forgery),
    ...forgedTables(forgery),
    ...forgedLengths(honest),
    { name: 'no bytes', message: new Uint8Array() },
    {
      name: 'the prefix of an off-chain message',
      message: Buffer.concat([Buffer.from('\xffsolana offchain', 'latin1'), honest]),
    },
    { name: 'cut in half', message: honest.subarray(0, honest.length / 2) },
    { name: 'one byte short', message: honest.subarray(0, -1) },
    { name: 'a whole second message behind it', message: Buffer.concat([honest, honest]) },
  ];
}

type Forge = (name: string, tamper: (parts: MessageParts) => void) => Forgery;

function forgedHeaders(forgery: Forge): Forgery[] {
  const byHeader = (name: string, place: 0 | 1 | 2, by: number) =>
    forgery(name, ({ header }) => {
      header[place] += by;
    });
  return [
    byHeader('one signer more', 0, 1),
    byHeader('one signer less', 0, -1),
    byHeader('one signer less that can be written to', 1, 1),
    byHeader('one writable account more', 2, -1),
    byHeader('one writable account less', 2, 1),
    byHeader('more readonly accounts than accounts', 2, 200),
    forgery('version 1', (parts) => (parts.prefix = [0x81])),
    forgery('version 127', (parts) => (parts.prefix = [0xff])),
    forgery('the version twice', (parts) => (parts.prefix = [0x80, 0x80])),
    forgery('v0 without its tables', (parts) => (parts.lookups = undefined)),
    forgery('legacy with tables', (parts) => (parts.prefix = [])),
    forgery('a byte at the end', (parts) => (parts.suffix = Uint8Array.of(0))),
  ];
}

function forgedKeys(forgery: Forge): Forgery[] {
  const withKey = (name: string, key: (parts: MessageParts) => Uint8Array, at: (parts: MessageParts) => number) =>
    forgery(name, (parts) => {
      const index = at(parts);
      parts.keys.splice(index, 0, key(parts));
      const shifted = (other: number) => (other >= index ? other + 1 : other);
      for (const instruction of parts.instructions) {
        instruction.program = shifted(instruction.program);
        instruction.accounts = instruction.accounts.map(shifted);
      }
    });
  const last = (parts: MessageParts) => parts.keys.length;
  return [
    withKey(
      'an account that nothing needs',
      () => THIEF.toBytes(),
      () => 1,
    ),
    withKey(
      'a stranger before the payer',
      () => THIEF.toBytes(),
      () => 0,
    ),
    withKey(
      'the payer twice',
      ({ keys }) => keys[0]!,
      () => 1,
    ),
    withKey('the last key twice', ({ keys }) => keys.at(-1)!, last),
    forgery('a readonly account that nothing needs', (parts) => {
      parts.keys.push(UNKNOWN_PROGRAM.toBytes());
      parts.header[2] += 1;
    }),
    forgery('the payer as a program', ({ instructions }) => (instructions.at(-1)!.program = 0)),
    forgery('a program that is not there', ({ instructions, keys }) => (instructions.at(-1)!.program = keys.length)),
    forgery('an account that is not there', ({ instructions, keys }) =>
      instructions.at(-1)!.accounts.push(keys.length),
    ),
    forgery('an account far away', ({ instructions }) => (instructions.at(-1)!.accounts[0] = 255)),
    forgery('another first key', ({ keys }) => (keys[0] = THIEF.toBytes())),
    forgery('no instructions', (parts) => (parts.instructions = [])),
  ];
}

function forgedTables(forgery: Forge): Forgery[] {
  const table = LOOKUP_TABLE.toBytes();
  return [
    forgery('an empty table', (parts) => (parts.lookups = [{ table, writable: [], readonly: [] }])),
    forgery('a table that nothing uses', (parts) => (parts.lookups = [{ table, writable: [0], readonly: [1] }])),
    forgery('the recipient from a table', (parts) => {
      parts.lookups = [{ table, writable: [0], readonly: [] }];
      parts.instructions.at(-1)!.accounts[1] = parts.keys.length;
    }),
    forgery('the source from a table', (parts) => {
      parts.lookups = [{ table, writable: [7], readonly: [] }];
      parts.instructions.at(-1)!.accounts[0] = parts.keys.length;
    }),
    forgery('a program from a table', (parts) => {
      parts.lookups = [{ table, writable: [], readonly: [3] }];
      parts.instructions.at(-1)!.program = parts.keys.length;
    }),
  ];
}

/** Returns forgeries whose lengths are encoded longer than necessary, or larger than allowed. */
function forgedLengths(honest: Uint8Array): Forgery[] {
  const padded = (value: number): number[] => {
    const bytes = compactU16(value);
    return [...bytes.slice(0, -1), bytes.at(-1)! | 0x80, 0];
  };
  const twicePadded = (value: number): number[] => [(value & 0x7f) | 0x80, (value >> 7) | 0x80, 0];
  const overflown = (value: number): number[] => [(value & 0x7f) | 0x80, (value >> 7) | 0x80, 4];
  const kinds = { 'padded by a byte': padded, 'padded to three bytes': twicePadded, 'above 16 bits': overflown };
  return Object.entries(kinds).flatMap(([kind, write]) =>
    ['keys', 'instructions', 'accounts', 'data', 'lookups'].map((place) => {
      const length: LengthWriter = (value, at) => (at === place ? write(value) : compactU16(value));
      return { name: `the length of ${place} ${kind}`, message: encodeMessage(partsOf(honest), length) };
    }),
  );
}
