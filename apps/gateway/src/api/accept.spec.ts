import { describe, expect, it } from '@jest/globals';
import { qualityOf } from './accept.js';

describe('the quality of a variant', () => {
  it.each([
    ['br', 'gzip, deflate, br', 1],
    ['br', 'gzip;q=1.0, BR;Q=0.5', 0.5],
    ['br', 'br;q=0, *', 0],
    ['br', '*;q=0.1', 0.1],
    ['br', 'gzip', 0],
    ['br', undefined, 0],
    ['br', 'br;q=much', 0],
    ['text/html', 'text/html,application/xhtml+xml,*/*;q=0.8', 1],
    ['text/html', '*/*', 0],
  ])('%s in "%s" is %d', (variant, header, quality) => {
    expect(qualityOf(variant, header)).toBe(quality);
  });
});
