import { describe, expect, it } from '@jest/globals';
import { landingTimeMs } from './landed-transaction.js';

const NOW_MS = 1_700_000_000_000;
const TOLERANCE_MS = 300_000;

describe('the landing time', () => {
  it('is the block time up to five minutes ahead of now', () => {
    for (const time of [0, NOW_MS - 86_400_000, NOW_MS, NOW_MS + TOLERANCE_MS]) {
      expect(landingTimeMs(time, NOW_MS)).toBe(time);
    }
  });

  it('is unknown further ahead, and where the node reports none', () => {
    for (const time of [NOW_MS + TOLERANCE_MS + 1, NOW_MS * 1_000, Number.MAX_SAFE_INTEGER * 1_000, null]) {
      expect(landingTimeMs(time, NOW_MS)).toBeNull();
    }
  });
});
