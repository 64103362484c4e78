import { type Algorithm, Authenticator } from '@agent-wallet/testing';
import { describe, expect, it } from '@jest/globals';
import { hasKnownForm } from './encodings.js';

const keyOf = (algorithm: Algorithm) => new Authenticator('https://owner.example.com', algorithm).coseKey();
const ALGORITHMS: readonly Algorithm[] = ['ES256', 'EdDSA', 'RS256'];

/** A key with some of its bytes replaced. */
function spliced(key: Buffer, at: number, removed: number, ...inserted: number[]): Buffer {
  return Buffer.concat([key.subarray(0, at), Buffer.from(inserted), key.subarray(at + removed)]);
}

/** An RS256 key with a modulus of so many bytes. */
function rsaKey(length: number, first = 0x80): Buffer {
  const head = [0xa4, 1, 3, 3, 0x39, 1, 0, 0x20, 0x59, length >> 8, length & 255, first];
  return Buffer.concat([Buffer.from(head), Buffer.alloc(length - 1, 7), Buffer.from([0x21, 0x43, 1, 0, 1])]);
}

describe('a COSE key', () => {
  it.each(ALGORITHMS)('of %s has its canonical form, at its exact length only', (algorithm) => {
    const key = keyOf(algorithm);
    expect(hasKnownForm(key)).toBe(true);
    expect(hasKnownForm(Buffer.concat([key, Buffer.alloc(1)]))).toBe(false);
    for (let length = 0; length < key.length; length += 1) expect(hasKnownForm(key.subarray(0, length))).toBe(false);
  });

  it('has 77 bytes for ES256 and 42 for EdDSA', () => {
    expect([keyOf('ES256').length, keyOf('EdDSA').length]).toEqual([77, 42]);
  });

  it.each([
    ['another label of x', spliced(keyOf('ES256'), 7, 1, 0x22)],
    ['another label of y', spliced(keyOf('ES256'), 42, 1, 0x21)],
    ['a longer head of x', spliced(keyOf('ES256'), 8, 2, 0x59, 0, 32)],
    ['a shorter x and a longer y', spliced(spliced(keyOf('ES256'), 9, 1, 31), 43, 1, 33)],
    ['a compressed y', spliced(keyOf('ES256'), 43, 34, 0xf5)],
    ['another label of the EdDSA key', spliced(keyOf('EdDSA'), 7, 1, 0x22)],
    ['a text instead of a byte string', spliced(keyOf('EdDSA'), 8, 1, 0x78)],
    ['the exponent 3', spliced(rsaKey(256), 267, 5, 0x21, 0x41, 3)],
    ['the exponent 65539', spliced(rsaKey(256), 271, 1, 3)],
    ['a modulus of 255 bytes', rsaKey(255)],
    ['a modulus of 513 bytes', rsaKey(513)],
    ['a modulus with a leading zero', rsaKey(257, 0)],
  ])('with %s is refused', (_, key) => {
    expect(hasKnownForm(key)).toBe(false);
  });

  it('of RS256 has a modulus of 256 to 512 bytes', () => {
    expect([256, 257, 512].map((length) => hasKnownForm(rsaKey(length)))).toEqual([true, true, true]);
  });
});
