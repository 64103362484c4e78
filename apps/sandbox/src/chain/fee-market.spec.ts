import { describe, expect, it } from '@jest/globals';
import { slotPrice } from './fee-market.js';

const SLOTS = Array.from({ length: 1_000 }, (_, i) => 360_000_000 + i);
const prices = (spreadPercent: number, seed = 1): number[] =>
  SLOTS.map((slot) => slotPrice({ priceMicroLamports: 10_000, spreadPercent, seed }, slot));

describe('slotPrice', () => {
  it('without a spread, is the base in every slot', () => {
    expect(new Set(prices(0))).toEqual(new Set([10_000]));
  });

  it.each([1, 30, 100])('with a spread of %d %%, fills the range around the base and stays in it', (spread) => {
    const half = spread * 100;
    const [low, high] = [Math.min(...prices(spread)), Math.max(...prices(spread))];
    expect(low).toBeGreaterThanOrEqual(10_000 - half);
    expect(low).toBeLessThan(10_000 - half * 0.95);
    expect(high).toBeLessThanOrEqual(10_000 + half);
    expect(high).toBeGreaterThan(10_000 + half * 0.95);
  });

  it('repeats for a seed and differs for another', () => {
    expect(prices(50, 7)).toEqual(prices(50, 7));
    expect(prices(50, 8)).not.toEqual(prices(50, 7));
  });
});
