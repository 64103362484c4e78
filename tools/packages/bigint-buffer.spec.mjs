import { describe, expect, it } from '@jest/globals';
import { toBigIntBE, toBigIntLE, toBufferBE, toBufferLE } from 'bigint-buffer';

const U64_MAX = 2n ** 64n - 1n;

describe('bigint-buffer', () => {
  it.each([0n, 1n, 258n, U64_MAX])('writes and reads %s in both byte orders', (number) => {
    expect(toBigIntLE(toBufferLE(number, 8))).toBe(number);
    expect(toBigIntBE(toBufferBE(number, 8))).toBe(number);
    expect(toBufferLE(number, 8).readBigUInt64LE()).toBe(number);
    expect(toBufferBE(number, 8).readBigUInt64BE()).toBe(number);
  });

  it.each([U64_MAX + 1n, -1n])('rejects %s, which 8 unsigned bytes cannot hold', (number) => {
    expect(() => toBufferLE(number, 8)).toThrow(RangeError);
    expect(() => toBufferBE(number, 8)).toThrow(RangeError);
  });

  it('reads no bytes as zero', () => {
    expect(toBigIntLE(Buffer.alloc(0))).toBe(0n);
  });
});
