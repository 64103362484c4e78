import { describe, expect, it } from '@jest/globals';
import { responseSize } from './response-size.js';

describe('the size of an answer', () => {
  const usual = { ticker: 'KXA-1', rules: 'x'.repeat(1_500), bids: [1n, 2n], closeTimeMs: 5 };

  it('is one for a usual record, and that of all for a list', () => {
    expect([responseSize(undefined), responseSize(usual)]).toEqual([1, 1]);
    const size = responseSize({ items: Array.from({ length: 1_000 }, () => usual) });
    expect(size).toBeGreaterThan(700);
    expect(size).toBeLessThan(1_000);
  });

  it('is that of its text, however few its records', () => {
    expect(responseSize({ items: [{ ...usual, title: 'y'.repeat(12_000_000) }] })).toBeGreaterThan(6_000);
  });

  it('is found however deep it goes', () => {
    let deep: unknown = 'end';
    for (let i = 0; i < 200_000; i += 1) deep = [deep];
    expect(responseSize(deep)).toBeGreaterThan(1_000);
  });
});
