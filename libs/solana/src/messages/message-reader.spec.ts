import { describe, expect, it } from '@jest/globals';
import { MalformedMessage, MessageReader, compactU16 } from './decode-message.js';

const read = (...bytes: number[]): number => {
  const reader = new MessageReader(Uint8Array.from(bytes));
  const value = reader.compactU16();
  reader.end();
  return value;
};

describe('compact-u16', () => {
  it('reads back every number that it can write', () => {
    for (let value = 0; value <= 0xffff; value += 1) expect(read(...compactU16(value))).toBe(value);
  });

  it.each([
    ['127', [0x7f], 127],
    ['128', [0x80, 0x01], 128],
    ['16383', [0xff, 0x7f], 16_383],
    ['16384', [0x80, 0x80, 0x01], 16_384],
    ['65535', [0xff, 0xff, 0x03], 65_535],
  ])('reads %s', (_, bytes, value) => {
    expect(read(...bytes)).toBe(value);
  });

  it.each([
    ['65536', [0x80, 0x80, 0x04]],
    ['a zero in two bytes', [0x80, 0x00]],
    ['a one in two bytes', [0x81, 0x00]],
    ['a one in three bytes', [0x81, 0x80, 0x00]],
    ['four bytes', [0x80, 0x80, 0x80, 0x01]],
    ['a number that is cut off', [0x80]],
    ['nothing', []],
    ['a byte too many', [0x01, 0x01]],
  ])('refuses %s', (_, bytes) => {
    expect(() => read(...bytes)).toThrow(MalformedMessage);
  });
});
