import { describe, expect, it } from '@jest/globals';
import { onGrid } from './price-grid.js';

const cents = [{ startUsdMicros: 0n, endUsdMicros: 1_000_000n, stepUsdMicros: 10_000n }];
const tapered = [
  { startUsdMicros: 0n, endUsdMicros: 100_000n, stepUsdMicros: 1_000n },
  { startUsdMicros: 100_000n, endUsdMicros: 900_000n, stepUsdMicros: 10_000n },
  { startUsdMicros: 900_000n, endUsdMicros: 1_000_000n, stepUsdMicros: 1_000n },
];

describe('a price on the grid', () => {
  it.each([
    [560_000n, 560_000n, 560_000n],
    [565_000n, 560_000n, 570_000n],
    [10_000n, 10_000n, 10_000n],
    [9_999n, undefined, 10_000n],
    [990_001n, 990_000n, undefined],
    [1_000_000n, 990_000n, undefined],
    [0n, undefined, 10_000n],
  ])('of cents: %d goes down to %s and up to %s', (price, down, up) => {
    expect(onGrid(price, cents, 'down')).toBe(down);
    expect(onGrid(price, cents, 'up')).toBe(up);
  });

  it.each([
    [99_500n, 99_000n, 100_000n],
    [104_000n, 100_000n, 110_000n],
    [899_999n, 890_000n, 900_000n],
    [900_500n, 900_000n, 901_000n],
    [999_500n, 999_000n, undefined],
  ])('of several steps: %d goes down to %d and up to %s', (price, down, up) => {
    expect(onGrid(price, tapered, 'down')).toBe(down);
    expect(onGrid(price, tapered, 'up')).toBe(up);
  });

  it('is none where the market takes none', () => {
    expect(onGrid(500_000n, [], 'down')).toBeUndefined();
    const narrow = [{ startUsdMicros: 200_000n, endUsdMicros: 300_000n, stepUsdMicros: 10_000n }];
    expect(onGrid(150_000n, narrow, 'down')).toBeUndefined();
    expect(onGrid(150_000n, narrow, 'up')).toBe(200_000n);
    expect(onGrid(350_000n, narrow, 'down')).toBe(300_000n);
    expect(onGrid(350_000n, narrow, 'up')).toBeUndefined();
  });
});
