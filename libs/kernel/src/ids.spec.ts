import { describe, expect, it } from '@jest/globals';
import { isUuid, newId } from './ids.js';

describe('ids', () => {
  it('are UUIDs of version 7 that sort by the time they were made', () => {
    const ids = Array.from({ length: 1_000 }, newId);
    expect(ids.every((id) => isUuid(id) && id[14] === '7')).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
  });

  it.each(['', 'agent', '0190-0000', "'; drop table agents; --"])('are not %j', (text) => {
    expect(isUuid(text)).toBe(false);
  });
});
