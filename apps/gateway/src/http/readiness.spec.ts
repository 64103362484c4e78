import { AppError } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { Readiness } from './readiness.js';

const failing = (error: Error) => new Readiness([() => Promise.resolve(), () => Promise.reject(error)]).check();

describe('a service that is not ready', () => {
  it('says why when a check knows the reason', async () => {
    const database = new AppError('SERVICE_UNAVAILABLE', { data: { reason: 'database' } });
    await expect(failing(database)).rejects.toBe(database);
  });

  it.each([new Error('no connection'), new AppError('INTERNAL_ERROR')])('is unavailable after %s', async (cause) => {
    await expect(failing(cause)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', data: {}, cause });
  });

  it('says that it stops', async () => {
    const readiness = new Readiness([]);
    await expect(readiness.check()).resolves.toBeUndefined();
    readiness.stop();
    await expect(readiness.check()).rejects.toMatchObject({ data: { reason: 'shutting_down' } });
  });
});
