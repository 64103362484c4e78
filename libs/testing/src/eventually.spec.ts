import { describe, expect, it } from '@jest/globals';
import { eventually } from './eventually.js';

describe('eventually', () => {
  it('waits for a condition', async () => {
    let reads = 0;
    await eventually(() => (reads += 1) === 3);
    expect(reads).toBe(3);
  });

  it('resolves with the first reading that is there', async () => {
    const readings = [undefined, false, 0] as const;
    let reads = 0;
    expect(await eventually(async () => readings[reads++])).toBe(0);
  });

  it('resolves with the first reading that satisfies', async () => {
    let reads = 0;
    const reading = await eventually(
      async () => ({ reads: (reads += 1) }),
      (seen) => seen.reads === 2,
    );
    expect(reading).toEqual({ reads: 2 });
  });

  it('fails with the last reading when it never comes true', async () => {
    const waiting = eventually(
      () => ({ balance: 7n }),
      ({ balance }) => balance === 8n,
      20,
    );
    await expect(waiting).rejects.toThrow('it never came true; last seen: { balance: 7n }');
    await expect(eventually(() => false, 20)).rejects.toThrow('last seen: false');
  });

  it('does not count the time that readings take', async () => {
    let reads = 0;
    const readSlowly = async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return (reads += 1) === 3;
    };
    await expect(eventually(readSlowly, 40)).resolves.toBe(true);
  });

  it('throws on what a reading throws', async () => {
    await expect(eventually(() => Promise.reject(new Error('it broke')))).rejects.toThrow('it broke');
  });
});
