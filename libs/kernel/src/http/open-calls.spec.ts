import { afterEach, expect, it, jest } from '@jest/globals';
import { isTimeout } from './response.js';
import { OpenCalls } from './open-calls.js';

const calls = new OpenCalls();
const signals: AbortSignal[] = [];

/** Waits for its signal. */
function untilAborted(signal: AbortSignal): Promise<never> {
  signals.push(signal);
  return new Promise((_, reject) => {
    const fail = () => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}

afterEach(() => {
  jest.useRealTimers();
  signals.length = 0;
});

it('ends a call when its time is over, and says so', async () => {
  jest.useFakeTimers();
  const failed = calls.within(1_000, untilAborted).catch((error: unknown) => error);
  await jest.advanceTimersByTimeAsync(999);
  expect(signals[0]?.aborted).toBe(false);
  await jest.advanceTimersByTimeAsync(1);
  expect(isTimeout(await failed)).toBe(true);
});

it('answers what the call answers, and leaves it alone afterwards', async () => {
  jest.useFakeTimers();
  const answered = calls.within(1_000, async (signal) => signals.push(signal));
  await expect(answered).resolves.toBe(1);
  expect(jest.getTimerCount()).toBe(0);
  calls.close();
  expect(signals[0]?.aborted).toBe(false);
});

it('breaks off what is under way when it is closed, and what comes later', async () => {
  const closing = new OpenCalls();
  const underWay = closing.within(60_000, untilAborted).catch((error: unknown) => error);
  closing.close();
  const later = closing.within(60_000, untilAborted).catch((error: unknown) => error);
  for (const error of [await underWay, await later]) {
    expect(error).toMatchObject({ name: 'AbortError' });
    expect(isTimeout(error)).toBe(false);
  }
});
