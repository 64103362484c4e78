import { sleep, waitAtMost, withRetry, withTimeout } from '@agent-wallet/kernel';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { TestScheduler } from './test-scheduler.js';

const never = new Promise<never>(() => {});
let scheduler: TestScheduler;
let seen: unknown[];
beforeEach(() => {
  scheduler = new TestScheduler();
  seen = [];
});

const note = (what: string) => () => void seen.push([what, scheduler.nowMs()]);

describe('virtual time', () => {
  it('runs what is due in order, each at its moment, and what that puts off', async () => {
    scheduler.after(20, note('second'));
    scheduler.after(10, () => {
      note('first')();
      void Promise.resolve().then(() => scheduler.after(5, note('between')));
    });
    scheduler.after(20, note('third'));
    scheduler.after(31, note('later'));
    await scheduler.advance(30);
    expect(seen).toEqual([
      ['first', 10],
      ['between', 15],
      ['second', 20],
      ['third', 20],
    ]);
    expect([scheduler.nowMs(), scheduler.pending]).toEqual([30, 1]);
  });

  it('runs nothing that was cancelled', async () => {
    const cancel = scheduler.after(10, note('cancelled'));
    cancel();
    await scheduler.advance(10);
    expect([seen, scheduler.pending]).toEqual([[], 0]);
  });
});

describe('what waits', () => {
  it('sleeps until its time has passed, and no longer than its signal allows', async () => {
    const stop = new AbortController();
    void sleep(100, undefined, scheduler).then(note('slept'));
    sleep(1e9, stop.signal, scheduler).catch((reason: Error) => note(reason.message)());
    await scheduler.advance(99);
    expect(seen).toEqual([]);
    stop.abort(new Error('no longer'));
    await scheduler.advance(1);
    expect(seen).toEqual([
      ['no longer', 99],
      ['slept', 100],
    ]);
    expect(scheduler.pending).toBe(0);
  });

  it('gives work its time, and leaves no time-out behind', async () => {
    withTimeout(50, never, undefined, scheduler).catch(note('late'));
    void waitAtMost(60, never, scheduler).then(note('waited'));
    await withTimeout(1e9, Promise.resolve(), undefined, scheduler);
    await waitAtMost(1e9, Promise.resolve(), scheduler);
    await scheduler.advance(60);
    expect(seen).toEqual([
      ['late', 50],
      ['waited', 60],
    ]);
    expect(scheduler.pending).toBe(0);
  });

  it('does work again after each pause', async () => {
    const work = async () => {
      note('work')();
      throw new Error('broken');
    };
    withRetry(work, (_, failures) => (failures < 3 ? failures * 10 : undefined), scheduler).catch(note('abandoned'));
    await scheduler.advance(1_000);
    expect(seen).toEqual([
      ['work', 0],
      ['work', 10],
      ['work', 30],
      ['abandoned', 30],
    ]);
  });
});
