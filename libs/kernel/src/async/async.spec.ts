import { describe, expect, it, jest } from '@jest/globals';
import { isTimeout } from '../http/response.js';
import { once } from './once.js';
import { settleAll } from './settle-all.js';
import { sleep } from './sleep.js';
import { withRetry } from './with-retry.js';
import { waitAtMost, withTimeout } from './with-timeout.js';

const never = new Promise<never>(() => {});
const failing = () => Promise.reject(new Error('broken'));

describe('withTimeout', () => {
  it('resolves to what the work resolves to in time', async () => {
    await expect(withTimeout(60_000, Promise.resolve(7))).resolves.toBe(7);
  });

  it('rejects with a TimeoutError when the work takes longer', async () => {
    const error: unknown = await withTimeout(1, never).catch((reason: unknown) => reason);
    expect(isTimeout(error)).toBe(true);
    expect(error).toMatchObject({ message: 'no answer within 1 ms' });
  });

  it('is over at once when no time is left', async () => {
    await expect(withTimeout(-5, never)).rejects.toThrow('within -5 ms');
  });

  it('rejects with the error of the work', async () => {
    await expect(withTimeout(60_000, failing())).rejects.toThrow('broken');
  });
});

describe('waitAtMost', () => {
  it('ends when the work ends, and when the time is over', async () => {
    await expect(waitAtMost(60_000, Promise.resolve(7))).resolves.toBeUndefined();
    await expect(waitAtMost(1, never)).resolves.toBeUndefined();
  });

  it('rejects with the error of the work', async () => {
    await expect(waitAtMost(60_000, failing())).rejects.toThrow('broken');
  });
});

describe('sleep', () => {
  it("rejects with the signal's reason", async () => {
    const reason = new Error('no longer');
    await expect(sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe('withRetry', () => {
  it('does the work again until it succeeds', async () => {
    const work = jest.fn<() => Promise<string>>();
    work.mockRejectedValueOnce(new Error('first')).mockRejectedValueOnce(new Error('second')).mockResolvedValue('done');
    const seen: unknown[] = [];
    const pauseMs = (error: unknown, failures: number) => {
      seen.push([(error as Error).message, failures]);
      return 0;
    };
    await expect(withRetry(work, pauseMs)).resolves.toBe('done');
    expect(seen).toEqual([
      ['first', 1],
      ['second', 2],
    ]);
  });

  it('rejects with the error that it gives up with', async () => {
    const work = jest.fn(failing);
    await expect(withRetry(work, (_, failures) => (failures < 3 ? 0 : undefined))).rejects.toThrow('broken');
    expect(work).toHaveBeenCalledTimes(3);
  });
});

describe('settleAll', () => {
  it('gives each result at the place of its item', async () => {
    const results = await settleAll(2, [3, 0, 1], async (item) => (item === 0 ? failing() : item * 2));
    expect(results).toEqual([
      { status: 'fulfilled', value: 6 },
      { status: 'rejected', reason: new Error('broken') },
      { status: 'fulfilled', value: 2 },
    ]);
  });

  it('works on as many items at once as the limit allows, and no more', async () => {
    let open = 0;
    let most = 0;
    await settleAll(3, Array.from({ length: 10 }), async () => {
      most = Math.max(most, (open += 1));
      await Promise.resolve();
      open -= 1;
    });
    expect(most).toBe(3);
  });
});

describe('once', () => {
  it('does the work once, and gives its result to every call', async () => {
    let count = 0;
    const work = once(async () => (count += 1));
    expect(work()).toBe(work());
    expect(await work()).toBe(1);
  });

  it('does work without a result once', () => {
    let count = 0;
    const work = once(() => void (count += 1));
    work();
    work();
    expect(count).toBe(1);
  });
});
