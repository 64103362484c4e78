import { describe, expect, it } from '@jest/globals';
import { type BaseUnits, baseUnits, MAX_BASE_UNITS } from './base-units.js';
import { type UsdMicros, usdMicros } from './usd.js';

describe('base units', () => {
  it('are a u64', () => {
    expect(baseUnits(0n)).toBe(0n);
    expect(baseUnits(MAX_BASE_UNITS)).toBe(2n ** 64n - 1n);
    expect(() => baseUnits(-1n)).toThrow(RangeError);
    expect(() => baseUnits(2n ** 64n)).toThrow(RangeError);
  });

  it('cannot be mixed up with dollars: the compiler says so', () => {
    const lamports = baseUnits(1n);
    // @ts-expect-error lamports are no dollars
    const dollars: UsdMicros = lamports;
    // @ts-expect-error dollars are no lamports
    const units: BaseUnits = usdMicros(1n);
    // @ts-expect-error not every bigint is an amount
    const unchecked: BaseUnits = 1n;
    expect([dollars, units, unchecked]).toEqual([1n, 1n, 1n]);
  });
});
