import { expect, it } from '@jest/globals';
import type { CountedValue } from '../api/records.js';
import { usageCurve } from './usage-curve.js';

const NOW = Date.parse('2026-11-26T12:00:00.000Z');
const value = (hours: number, usd: number): CountedValue => {
  const leavesAt = new Date(NOW + hours * 3_600_000).toISOString();
  return { since: leavesAt, leavesAt, usd };
};

it('the curve steps down when values leave, in the order of time', () => {
  const curve = usageCurve([value(5, 0.2), value(2, 0.1)], NOW);
  expect(curve.map(({ atMs, usd }) => [(atMs - NOW) / 3_600_000, usd])).toEqual([
    [0, 0.3],
    [2, 0.2],
    [5, 0],
  ]);
});

it('values that leave together are one step, and what has left does not count', () => {
  expect(usageCurve([value(1, 1), value(1, 2), value(0, 7), value(-1, 9)], NOW)).toMatchObject([
    { usd: 3 },
    { usd: 0, leavesUsd: 3 },
  ]);
});

it('an empty window is one point at zero', () => {
  expect(usageCurve([], NOW)).toEqual([{ atMs: NOW, usd: 0, leavesUsd: 0 }]);
});
