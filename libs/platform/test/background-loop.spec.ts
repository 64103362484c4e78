import { TestScheduler } from '@agent-wallet/testing';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type BackgroundLoop, startLoop } from '../src/index.js';
import { silent } from './support.js';

let scheduler: TestScheduler;
let loop: BackgroundLoop | undefined;

beforeEach(() => {
  scheduler = new TestScheduler();
});
afterEach(() => loop?.stop());

/** A loop that rests for ever by itself, and how often it has begun a round. */
function counting(round: (n: number) => Promise<boolean>): { rounds: () => number } {
  let rounds = 0;
  const count = () => round((rounds += 1));
  loop = startLoop({ name: 'counting', logger: silent, idleMs: 1e9, round: count, scheduler });
  return { rounds: () => rounds };
}

it('goes on at once while there is more, and rests when there is not', async () => {
  const { rounds } = counting(async (n) => n < 3);
  await scheduler.advance(1e9 - 1);
  expect(rounds()).toBe(3);
  await scheduler.advance(1);
  expect(rounds()).toBe(4);
});

it('is woken from its rest, and by what came during a round', async () => {
  const { rounds } = counting(async (n) => {
    if (n === 2) loop?.wake();
    return false;
  });
  await scheduler.advance(0);
  expect(rounds()).toBe(1);
  loop?.wake();
  await scheduler.advance(0);
  expect(rounds()).toBe(3);
});

it('is not woken from the pause after a failure, however often it is asked to', async () => {
  const { rounds } = counting(async (n) => {
    if (n === 1) throw new Error('it failed');
    return false;
  });
  for (let ms = 0; ms < 999; ms += 1) {
    loop?.wake();
    await scheduler.advance(1);
  }
  expect(rounds()).toBe(1);
  await scheduler.advance(1);
  expect(rounds()).toBe(2);
});

it('rests twice as long after each failure in a row, up to its bound, and a second after the first of the next row', async () => {
  const startedAtS: number[] = [];
  const round = async () => {
    startedAtS.push(scheduler.nowMs() / 1_000);
    if (startedAtS.length !== 7) throw new Error('it failed');
    return true;
  };
  loop = startLoop({ name: 'failing', logger: silent, idleMs: 1, maxFailurePauseMs: 5_000, round, scheduler });
  await scheduler.advance(30_000);
  expect(startedAtS).toEqual([0, 1, 3, 7, 12, 17, 22, 22, 23, 25, 29]);
});

it('is stopped in the pause after a failure', async () => {
  const { rounds } = counting(async () => {
    throw new Error('it failed');
  });
  await scheduler.advance(0);
  expect(scheduler.pending).toBe(1);
  await loop?.stop();
  expect([rounds(), scheduler.pending]).toEqual([1, 0]);
});
