import { eventually } from '@agent-wallet/testing';
import { afterEach, expect, it, jest } from '@jest/globals';
import { type BackgroundLoop, startLoop } from '../src/index.js';
import { silent } from './support.js';

let loop: BackgroundLoop | undefined;

afterEach(async () => {
  await loop?.stop();
  jest.useRealTimers();
});

/** A loop that rests for ever by itself, and how often it has begun a round. */
function counting(round: (n: number) => Promise<boolean>): { rounds: () => number } {
  let rounds = 0;
  loop = startLoop({ name: 'counting', logger: silent, idleMs: 1e9, round: () => round((rounds += 1)) });
  return { rounds: () => rounds };
}

it('goes on at once while there is more, and rests when there is not', async () => {
  const { rounds } = counting(async (n) => n < 3);
  await eventually(() => rounds() === 3);
});

it('is woken from its rest, and by what came during a round', async () => {
  const { rounds } = counting(async (n) => {
    if (n === 2) loop?.wake();
    return false;
  });
  await eventually(() => rounds() === 1);
  loop?.wake();
  await eventually(() => rounds() === 3);
});

it('is not woken from the pause after a failure, however often it is asked to', async () => {
  const startedMs = performance.now();
  const { rounds } = counting(async (n) => {
    if (n === 1) throw new Error('it failed');
    return false;
  });
  await eventually(() => {
    loop?.wake();
    return rounds() > 1;
  });
  expect(performance.now() - startedMs).toBeGreaterThan(900);
});

it('rests twice as long after each failure in a row, up to its bound, and a second after the first of the next row', async () => {
  jest.useFakeTimers();
  const startedAtS: number[] = [];
  const round = async () => {
    startedAtS.push(performance.now() / 1_000);
    if (startedAtS.length !== 7) throw new Error('it failed');
    return true;
  };
  const firstS = performance.now() / 1_000;
  loop = startLoop({ name: 'failing', logger: silent, idleMs: 1, maxFailurePauseMs: 5_000, round });
  await jest.advanceTimersByTimeAsync(30_000);
  expect(startedAtS.map((atS) => atS - firstS)).toEqual([0, 1, 3, 7, 12, 17, 22, 22, 23, 25, 29]);
});

it('is stopped in the pause after a failure', async () => {
  const startedMs = performance.now();
  counting(async () => {
    throw new Error('it failed');
  });
  await new Promise((resolve) => setImmediate(resolve));
  await loop?.stop();
  expect(performance.now() - startedMs).toBeLessThan(900);
});
