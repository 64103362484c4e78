import { describe, expect, it } from '@jest/globals';
import { SlidingWindow } from './rate-limit.js';

describe('SlidingWindow', () => {
  const window = () => new SlidingWindow({ limit: 2, windowMs: 1_000 });

  it('lets in as many as allowed, and then says when there is room', () => {
    const calls = window();
    expect(calls.take('a', 10)).toEqual({ current: 1, remaining: 1, resetMs: 1_010 });
    expect(calls.take('a', 20)).toMatchObject({ current: 2, remaining: 0 });
    expect(calls.take('a', 30)).toEqual({ current: 3, remaining: -1, resetMs: 1_010 });
  });

  it('makes room as calls leave the window, not before', () => {
    const calls = window();
    for (const timeMs of [0, 500, 999]) calls.take('a', timeMs);
    expect(calls.take('a', 999).remaining).toBe(-1);
    expect(calls.take('a', 1_000).remaining).toBe(0);
    expect(calls.take('a', 1_001).remaining).toBe(-1);
    expect(calls.take('a', 1_500).remaining).toBe(0);
  });

  it('counts each organisation by itself', () => {
    const calls = window();
    for (const timeMs of [0, 1, 2]) calls.take('a', timeMs);
    expect(calls.take('b', 3).remaining).toBe(1);
  });
});
