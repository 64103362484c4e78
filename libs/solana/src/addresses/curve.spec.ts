import { describe, expect, it } from '@jest/globals';
import { PublicKey } from '@solana/web3.js';
import fc from 'fast-check';
import { isCurvePoint, isPublicKey } from './curve.js';

const P = 2n ** 255n - 19n;

/** 32 bytes of a y coordinate and a sign. */
function compressed(y: bigint, sign = 0): Uint8Array {
  const bytes = new Uint8Array(32);
  for (let i = 0; i < 32; i += 1) bytes[i] = Number((y >> BigInt(8 * i)) & 0xffn);
  bytes[31]! |= sign << 7;
  return bytes;
}

describe('the Ed25519 curve', () => {
  it('agrees with the SDK on random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        expect(isCurvePoint(bytes)).toBe(PublicKey.isOnCurve(bytes));
      }),
    );
  });

  it.each([
    ['0 (order 4)', 0n],
    ['1 (the identity)', 1n],
    ['-1 (order 2)', P - 1n],
    ['the first of order 8', 2707385501144840649318225287225658788936804267575313519463743609750303021600n],
    ['the second of order 8', 55188659117513257062467267217118295137698188065244968500265048394206261417927n],
  ])('knows no key with y = %s', (_, y) => {
    for (const sign of [0, 1]) {
      expect(isCurvePoint(compressed(y, sign))).toBe(true);
      expect(isPublicKey(compressed(y, sign))).toBe(false);
    }
  });

  it('takes a coordinate that was not reduced as a point, as the chain does, but as no key', () => {
    // p + 3 means 3, which is a point.
    expect([isCurvePoint(compressed(3n)), isPublicKey(compressed(3n))]).toEqual([true, true]);
    expect([isCurvePoint(compressed(P + 3n)), isPublicKey(compressed(P + 3n))]).toEqual([true, false]);
  });

  it('knows a coordinate of no point', () => {
    expect(isCurvePoint(compressed(2n))).toBe(false);
  });
});
