import { describe, expect, it } from '@jest/globals';
import { PublicKey } from '@solana/web3.js';
import fc from 'fast-check';
import { decodeBase58, encodeBase58 } from './base58.js';

const bytes = (size: number) =>
  fc
    .tuple(fc.nat({ max: size }), fc.uint8Array({ minLength: size, maxLength: size }))
    .map(([zeros, array]) => array.fill(0, 0, zeros));

describe('base58', () => {
  it.each([1, 2, 31, 32, 33, 64])('reads back what it wrote, leading zeros included (%i bytes)', (size) => {
    fc.assert(
      fc.property(bytes(size), (array) => {
        expect(decodeBase58(encodeBase58(array), size)).toEqual(array);
      }),
    );
  });

  it('writes addresses as the SDK does', () => {
    fc.assert(
      fc.property(bytes(32), (array) => {
        expect(encodeBase58(array)).toBe(new PublicKey(array).toBase58());
      }),
    );
  });

  it('reads a text only when it is the one that would be written', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'123ABCabcyz0OIl '), maxLength: 50 }), (text) => {
        const decoded = decodeBase58(text, 32);
        if (decoded) expect(encodeBase58(decoded)).toBe(text);
      }),
    );
  });

  it('refuses the smallest number that does not fit', () => {
    const largest = encodeBase58(new Uint8Array(32).fill(255));
    expect(largest).toBe('JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG');
    expect(decodeBase58(largest, 32)).toBeDefined();
    expect(decodeBase58('JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH', 32)).toBeUndefined();
  });

  it.each([
    ['nothing', ''],
    ['one zero too few', '1'.repeat(31)],
    ['one zero too many', '1'.repeat(33)],
    ['a letter that base 58 leaves out', `${'1'.repeat(31)}O`],
    ['a space', ` ${'1'.repeat(31)}`],
    ['a letter beyond ASCII', `${'1'.repeat(31)}é`],
    ['a megabyte', '1'.repeat(1_000_000)],
  ])('refuses %s', (_, text) => {
    expect(decodeBase58(text, 32)).toBeUndefined();
  });

  it('takes 32 zeros as the address of the system program', () => {
    expect(decodeBase58('1'.repeat(32), 32)).toEqual(new Uint8Array(32));
  });
});
