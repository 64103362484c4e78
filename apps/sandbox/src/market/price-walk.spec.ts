import { describe, expect, it } from '@jest/globals';
import { walk } from './price-walk.js';

const seed = Buffer.alloc(32, 1);

describe('walk', () => {
  it('is the same for the same seed, name and time', () => {
    expect(walk(seed, 'SOL', 1_234_567)).toBe(walk(seed, 'SOL', 1_234_567));
    expect(walk(seed, 'SOL', 1_234_567)).not.toBe(walk(seed, 'JUP', 1_234_567));
  });

  it('stays within its bounds, moves in small steps, and does move', () => {
    let [least, most, largestStep] = [1, -1, 0];
    for (let s = 0; s < 7_200; s++) {
      const value = walk(seed, 'SOL', s * 1000);
      largestStep = Math.max(largestStep, Math.abs(value - walk(seed, 'SOL', (s + 1) * 1000)));
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    expect(Math.max(-least, most)).toBeLessThanOrEqual(1);
    expect(largestStep).toBeLessThan(0.1);
    expect(most - least).toBeGreaterThan(0.5);
  });
});
