import { describe, expect, it } from '@jest/globals';
import { BoundedCache } from './bounded-cache.js';

describe('a bounded cache', () => {
  it('makes a value once and forgets the one that was used longest ago', () => {
    const made: string[] = [];
    const cache = new BoundedCache<string>(2);
    const get = (key: string) =>
      cache.get(key, () => {
        made.push(key);
        return key.toUpperCase();
      });
    expect([get('a'), get('b'), get('a'), get('c'), get('a')]).toEqual(['A', 'B', 'A', 'C', 'A']);
    expect(made).toEqual(['a', 'b', 'c']);
    get('b');
    expect(made).toEqual(['a', 'b', 'c', 'b']);
  });
});
