import { describe, expect, it } from '@jest/globals';
import { cachedResponse } from './cached-response.js';

function questions() {
  let nowMs = 1_000_000;
  let asked = 0;
  let isBroken = false;
  const ask = async () => {
    asked += 1;
    if (isBroken) throw new Error('no answer');
    return asked;
  };
  return {
    get: cachedResponse({ nowMs: () => nowMs }, ask),
    pass: (durationMs: number) => (nowMs += durationMs),
    breakDown: (broken: boolean) => (isBroken = broken),
  };
}

describe('a kept answer', () => {
  it('is given to those who take one of its age, up to that age', async () => {
    const { get, pass } = questions();
    expect(await get({ maxAgeMs: 2_000 })).toBe(1);
    pass(2_000);
    expect(await get({ maxAgeMs: 2_000 })).toBe(1);
    pass(1);
    expect(await get({ maxAgeMs: 2_000 })).toBe(2);
  });

  it('is not given to those who name no age', async () => {
    const { get } = questions();
    expect([await get(), await get(), await get({ maxAgeMs: 1 })]).toEqual([1, 2, 2]);
  });

  it('is shared while it is under way', async () => {
    const { get } = questions();
    expect(await Promise.all([get({ maxAgeMs: 1 }), get({ maxAgeMs: 1 })])).toEqual([1, 1]);
  });

  it('is not kept when it failed', async () => {
    const { get, breakDown } = questions();
    breakDown(true);
    await expect(get({ maxAgeMs: 1_000 })).rejects.toThrow('no answer');
    breakDown(false);
    expect(await get({ maxAgeMs: 1_000 })).toBe(2);
  });

  it('does not outlive a clock that was set back', async () => {
    const { get, pass } = questions();
    expect(await get({ maxAgeMs: 2_000 })).toBe(1);
    pass(-3_600_000);
    expect(await get({ maxAgeMs: 2_000 })).toBe(2);
  });
});
