import { AppError } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { Readiness } from './readiness.js';

const failing = (error: Error) => new Readiness([() => Promise.resolve(), () => Promise.reject(error)], 0).check();

describe('a service that is not ready', () => {
  it('says why when a check knows the reason', async () => {
    const database = new AppError('SERVICE_UNAVAILABLE', { data: { reason: 'database' } });
    await expect(failing(database)).rejects.toBe(database);
  });

  it.each([new Error('no connection'), new AppError('INTERNAL_ERROR')])('is unavailable after %s', async (cause) => {
    await expect(failing(cause)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', data: {}, cause });
  });

  it('says that it stops', async () => {
    const readiness = new Readiness([], 0);
    await expect(readiness.check()).resolves.toBeUndefined();
    readiness.stop();
    await expect(readiness.check()).rejects.toMatchObject({ data: { reason: 'shutting_down' } });
  });
});

describe('readiness', () => {
  it('keeps a result for a time, and shares a check that runs', async () => {
    let nowMs = 0;
    const asked: Array<(error?: Error) => void> = [];
    const check = () =>
      new Promise<void>((resolve, reject) => void asked.push((error) => (error ? reject(error) : resolve())));
    const readiness = new Readiness([check], 1_000, () => nowMs);

    const together = [readiness.check(), readiness.check()];
    nowMs = 5_000;
    together.push(readiness.check());
    expect(asked).toHaveLength(1);
    asked[0]!();
    await Promise.all(together);

    nowMs = 5_999;
    await readiness.check();
    expect(asked).toHaveLength(1);

    nowMs = 6_000;
    const next = readiness.check();
    expect(asked).toHaveLength(2);
    asked[1]!(new Error('no connection'));
    await expect(next).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await expect(readiness.check()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(asked).toHaveLength(2);
  });

  it('stops at once, also while a result is kept', async () => {
    const readiness = new Readiness([], 1_000, () => 0);
    await readiness.check();
    readiness.stop();
    await expect(readiness.check()).rejects.toMatchObject({ data: { reason: 'shutting_down' } });
  });
});
