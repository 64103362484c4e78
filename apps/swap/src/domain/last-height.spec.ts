import { describe, expect, it } from '@jest/globals';
import { lastPossibleHeight } from './last-height.js';

const HEAD = { slot: 1_000, blockHeight: 900 };

describe('the last height at which a message may land', () => {
  it.each([990, 1_000, 1_032])('of a blockhash known at slot %d is above all that it can be', (slot) => {
    expect(lastPossibleHeight(HEAD, slot)).toBe(1_082);
  });

  it('is not taken from a node that lags too far behind the one that knew the blockhash', () => {
    expect(() => lastPossibleHeight(HEAD, 1_033)).toThrow(expect.objectContaining({ code: 'UPSTREAM_ERROR' }));
  });
});
