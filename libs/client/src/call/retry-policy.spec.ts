import { status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { CallError } from '../errors/call-error.js';
import { RetryBudget } from './retry-budget.js';
import { DEFAULT_RETRY_POLICY, pauseMs } from './retry-policy.js';

const error = CallError.notMade('x', status.UNAVAILABLE, 'no');

describe('the pause before a further attempt', () => {
  it('is anything up to a bound that doubles up to its cap', () => {
    const bounds = [1, 2, 3, 4, 5, 6, 7].map((attempts) =>
      pauseMs(DEFAULT_RETRY_POLICY, attempts, error, (max) => max),
    );
    expect(bounds).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000]);
    expect(pauseMs(DEFAULT_RETRY_POLICY, 5, error, () => 0)).toBe(0);
    const drawn = Array.from({ length: 200 }, () => pauseMs(DEFAULT_RETRY_POLICY, 1, error));
    expect(Math.min(...drawn)).toBeLessThan(40);
    expect(Math.max(...drawn)).toBeGreaterThan(60);
    expect(drawn.every((pause) => pause >= 0 && pause <= 100)).toBe(true);
  });
});

describe('the budget of retries', () => {
  it('is ten, and grows by one with ten calls that succeed, up to ten', () => {
    const budget = new RetryBudget();
    const taken = () => Array.from({ length: 20 }, () => budget.take()).filter(Boolean).length;
    expect(taken()).toBe(10);
    for (let n = 0; n < 9; n += 1) budget.succeeded();
    expect(taken()).toBe(0);
    for (let n = 0; n < 2; n += 1) budget.succeeded();
    expect(taken()).toBe(1);
    for (let n = 0; n < 1_000; n += 1) budget.succeeded();
    expect(taken()).toBe(10);
  });
});
