import { describe, expect, it } from '@jest/globals';
import { defaultTimeoutMs } from './call-options.js';

describe('the time of a call that names none', () => {
  it('is that of its kind, and what the service is asked to wait', () => {
    expect(defaultTimeoutMs('NO_SIDE_EFFECTS', {})).toBe(20_000);
    expect(defaultTimeoutMs('UNSAFE', {})).toBe(10_000);
    expect(defaultTimeoutMs('IDEMPOTENT', { waitMs: 25_000 })).toBe(35_000);
  });
});
