import { describe, expect, it } from '@jest/globals';
import { PublicKey } from '@solana/web3.js';
import fc from 'fast-check';
import { decodeBase58, encodeBase58 } from './base58.js';

describe('base58', () => {
  it('writes keys as the official SDK does', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        expect(encodeBase58(bytes)).toBe(new PublicKey(bytes).toBase58());
      }),
    );
  });

  it('reads what it wrote, of any length, leading zeros included', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.integer({ min: 0, max: 5 }), (bytes, zeros) => {
        const original = Buffer.concat([Buffer.alloc(zeros), Buffer.from(bytes)]);
        expect(decodeBase58(encodeBase58(original))).toEqual(original);
      }),
    );
  });

  it.each(['0', 'O', 'I', 'l', 'a b', 'é', 'x'.repeat(2049)])('refuses %j', (text) => {
    expect(decodeBase58(text)).toBeUndefined();
  });
});
