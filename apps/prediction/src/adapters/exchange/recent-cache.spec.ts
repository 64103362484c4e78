import { beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@agent-wallet/kernel';
import { RecentCache } from './recent-cache.js';

let nowMs: number;
let asked: string[];
let memory: RecentCache;

beforeEach(() => {
  nowMs = 1_000;
  asked = [];
  memory = new RecentCache({ nowMs: () => nowMs }, { maxRecords: 10, maxStaleMs: 100 });
});

const get = (key: string, size = 1, freshMs = 50) =>
  memory.get(key, {
    freshMs,
    sizeOf: () => size,
    ask: async () => {
      asked.push(key);
      return `${key}${asked.length}`;
    },
  });
const fail = (error: Error) => memory.get('a', { freshMs: 50, ask: () => Promise.reject(error) });

describe('a memory', () => {
  it('is bounded by records: the least recently used make room, and what is too large is not kept', async () => {
    await get('a', 4);
    await get('b', 4);
    await get('a', 4);
    await get('c', 4);
    expect([await get('a', 4), await get('c', 4)]).toEqual(['a1', 'c3']);
    expect(await get('b', 4)).toBe('b4');
    await get('huge', 11);
    expect(await get('huge', 11)).toBe('huge6');
    expect(await get('b', 4)).toBe('b7');
  });

  it('counts an answer that comes again once', async () => {
    for (let i = 0; i < 5; i += 1) {
      await get('a', 5);
      nowMs += 50;
    }
    await get('b', 5);
    expect([await get('a', 5), await get('b', 5)]).toEqual(['a7', 'b6']);
    expect(await get('b', 5)).toBe('b6');
  });

  it('serves an old response only in place of an upstream failure, and only for a while', async () => {
    await get('a');
    nowMs += 50;
    await expect(fail(new AppError('VALIDATION_ERROR'))).rejects.toThrow();
    await expect(fail(new Error('a bug'))).rejects.toThrow('a bug');
    expect(await fail(new AppError('UPSTREAM_TIMEOUT'))).toBe('a1');
    nowMs += 50;
    expect(await fail(new AppError('SERVICE_UNAVAILABLE'))).toBe('a1');
    nowMs += 51;
    await expect(fail(new AppError('UPSTREAM_ERROR'))).rejects.toThrow();
  });

  it('takes no clock that goes back for a reason to believe what is old', async () => {
    await get('a');
    nowMs -= 10_000;
    expect(await get('a')).toBe('a2');
  });
});
