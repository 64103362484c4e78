import { describe, expect, it } from '@jest/globals';
import { encodeMessage, type MessageParts } from '../testing/encode-message.js';
import { decodeMessage, isSigner, isWritable, MalformedMessage, MAX_TRANSACTION_BYTES } from './decode-message.js';

const key = (byte: number) => new Uint8Array(32).fill(byte);

/** Two signers, of which one is readonly, and three others, of which two are readonly. */
const parts = (changes: Partial<MessageParts> = {}): MessageParts => ({
  prefix: [0x80],
  header: [2, 1, 2],
  keys: [1, 2, 3, 4, 5].map(key),
  blockhash: key(9),
  instructions: [{ program: 4, accounts: [0, 1, 2, 3], data: Uint8Array.of(7, 8) }],
  lookups: [],
  suffix: new Uint8Array(),
  ...changes,
});
const decode = (changes?: Partial<MessageParts>) => decodeMessage(encodeMessage(parts(changes)));
const calling = (program: number, accounts: number[]) => [{ program, accounts, data: new Uint8Array() }];
const table = (writable: number[], readonly: number[]) => [{ table: key(6), writable, readonly }];

describe('decoding a message', () => {
  it('finds everything in it', () => {
    const message = decode({ lookups: table([3], [0, 1]) });
    expect(message).toEqual({
      version: 0,
      requiredSignatures: 2,
      readonlySigned: 1,
      readonlyUnsigned: 2,
      keys: [1, 2, 3, 4, 5].map(key),
      blockhash: key(9),
      instructions: [{ program: 4, accounts: Uint8Array.of(0, 1, 2, 3), data: Uint8Array.of(7, 8) }],
      lookups: [{ table: key(6), writable: Uint8Array.of(3), readonly: Uint8Array.of(0, 1) }],
    });
    expect(message.keys.map((_, i) => isSigner(message, i))).toEqual([true, true, false, false, false]);
    expect(message.keys.map((_, i) => isWritable(message, i))).toEqual([true, false, true, false, false]);
  });

  it('takes one without a version for a legacy one', () => {
    expect(decode({ prefix: [], lookups: undefined }).version).toBe('legacy');
  });

  it.each<[string, Partial<MessageParts>, Partial<MessageParts>]>([
    ['one signer that can pay', { header: [1, 0, 2] }, { header: [0, 0, 2] }],
    ['a payer that can be written to', { header: [2, 1, 2] }, { header: [2, 2, 2] }],
    ['as many keys as the header counts', { header: [2, 1, 3] }, { header: [2, 1, 4] }],
    ['keys that differ', { keys: [1, 2, 3, 4, 5].map(key) }, { keys: [1, 2, 3, 4, 1].map(key) }],
    ['programs among its keys', { instructions: calling(4, []) }, { instructions: calling(5, []) }],
    ['another program than the payer', { instructions: calling(1, []) }, { instructions: calling(0, []) }],
    ['accounts among its keys', { instructions: calling(4, [4]) }, { instructions: calling(4, [5]) }],
    [
      'accounts that tables bring',
      { lookups: table([0], [1]), instructions: calling(4, [6]) },
      { lookups: table([0], [1]), instructions: calling(4, [7]) },
    ],
    [
      'no more addresses than an index can name',
      { lookups: table(new Array<number>(251).fill(0), []), instructions: [] },
      { lookups: table(new Array<number>(251).fill(0), [1]), instructions: [] },
    ],
    ['an end', {}, { suffix: Uint8Array.of(0) }],
  ])('wants %s', (_, good, bad) => {
    expect(() => decode(good)).not.toThrow();
    expect(() => decode(bad)).toThrow(MalformedMessage);
  });

  it('takes what fits into a packet with its signatures, and not a byte more', () => {
    const sized = (dataBytes: number) =>
      encodeMessage(parts({ instructions: [{ program: 4, accounts: [], data: new Uint8Array(dataBytes) }] }));
    const room = MAX_TRANSACTION_BYTES - 1 - 2 * 64 - sized(200).length + 200;
    expect(() => decodeMessage(sized(room))).not.toThrow();
    expect(() => decodeMessage(sized(room + 1))).toThrow('larger than a packet');
  });
});
