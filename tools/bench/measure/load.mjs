// Ways to ask for work.
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A number of callers that each ask again as soon as they are answered, for a time or for a number of calls. Resolves
 * to what they did in which time.
 */
export async function closedLoop({ callers, durationMs = Infinity, calls = Infinity, call }) {
  const startedAtMs = performance.now();
  const endMs = startedAtMs + durationMs;
  let count = 0;
  const caller = async () => {
    while (count < calls && performance.now() < endMs) {
      count += 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { count, seconds: (performance.now() - startedAtMs) / 1_000 };
}

/** How much of it they did a second. */
export const perSecond = ({ count, seconds }) => count / seconds;

/**
 * Asks at a steady rate, whether answers come or not, and resolves to the latencies in ms, counted from when each call
 * was due: a stall is seen by everyone who would have come meanwhile.
 */
export async function openLoop({ ratePerSecond, durationMs, call }) {
  const startedAtMs = performance.now();
  const total = Math.ceil((durationMs / 1_000) * ratePerSecond);
  const pending = [];
  for (let i = 0; i < total; i += 1) {
    const dueMs = startedAtMs + (i / ratePerSecond) * 1_000;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    pending.push(call().then(() => performance.now() - dueMs));
  }
  return Promise.all(pending);
}
