import { describe, expect, it } from '@jest/globals';
import { microBatch } from './micro-batch.js';

/** A look-up whose calls end when the test says so. */
function manualLookUp() {
  const calls: { keys: readonly number[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const lookUp = (keys: readonly number[]) =>
    new Promise<string[]>((resolve, reject) => {
      calls.push({ keys, answer: () => resolve(keys.map((key) => `value ${key}`)), fail: reject });
    });
  return { calls, lookUp };
}

const turns = async (): Promise<void> => {
  for (let i = 0; i < 5; i += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('a micro-batch', () => {
  it('puts concurrent look-ups into one call, each key once', async () => {
    const { calls, lookUp } = manualLookUp();
    const get = microBatch({ lookUp, maxKeys: 10, maxInFlight: 1 });
    const all = Promise.all([get(1), get(2), get(1)]);
    await turns();
    expect(calls.map(({ keys }) => keys)).toEqual([[1, 2]]);
    calls[0]!.answer();
    await expect(all).resolves.toEqual(['value 1', 'value 2', 'value 1']);
  });

  it('never has more keys in a call, nor more calls under way, than it may', async () => {
    const { calls, lookUp } = manualLookUp();
    const get = microBatch({ lookUp, maxKeys: 2, maxInFlight: 2 });
    const all = Promise.all([1, 2, 3, 4, 5].map(get));
    await turns();
    expect(calls.map(({ keys }) => keys)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    calls[0]!.answer();
    await turns();
    expect(calls.map(({ keys }) => keys)).toEqual([[1, 2], [3, 4], [5]]);
    calls.slice(1).forEach(({ answer }) => answer());
    await expect(all).resolves.toEqual([1, 2, 3, 4, 5].map((key) => `value ${key}`));
  });

  it('answers no question with a call that began before it', async () => {
    const { calls, lookUp } = manualLookUp();
    const get = microBatch({ lookUp, maxKeys: 10, maxInFlight: 1 });
    const first = get(1);
    await turns();
    const second = get(1);
    calls[0]!.answer();
    await first;
    await turns();
    expect(calls).toHaveLength(2);
    calls[1]!.answer();
    await expect(second).resolves.toBe('value 1');
  });

  it('fails only those who were in the failed call', async () => {
    const { calls, lookUp } = manualLookUp();
    const get = microBatch({ lookUp, maxKeys: 1, maxInFlight: 1 });
    const first = get(1);
    const second = get(2);
    await turns();
    calls[0]!.fail(new Error('no node'));
    await expect(first).rejects.toThrow('no node');
    await turns();
    calls[1]!.answer();
    await expect(second).resolves.toBe('value 2');
  });
});
