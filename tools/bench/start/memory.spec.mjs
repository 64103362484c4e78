import { describe, expect, it } from '@jest/globals';
import { kibOf, memoryOf } from './memory.mjs';

const ROLLUP = 'Rss:               45056 kB\nPss:               12345 kB\nPss_Dirty:          9000 kB\n';

describe('memory', () => {
  it('is read from the line of its name and no other', () => {
    expect(kibOf(ROLLUP, 'Pss')).toBe(12_345);
    expect(kibOf(ROLLUP, 'VmRSS')).toBe(0);
  });

  it('of this process is some, and no more when what is shared counts once', () => {
    const { processes, rss, pss } = memoryOf([process.pid]);
    expect(processes).toBeGreaterThanOrEqual(1);
    expect(rss).toBeGreaterThan(20);
    if (pss !== undefined) expect(pss).toBeLessThanOrEqual(rss);
  });
});
