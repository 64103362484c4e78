import { expect, it } from '@jest/globals';
import type { CountedValue } from '../api/records.js';
import { usageHours } from './usage-hours.js';

// A time of the reader's zone, as its hours are.
const NOW = new Date(2026, 10, 26, 12, 3).getTime();
const HOUR_MS = 3_600_000;
const value = (hoursAgo: number, usd: number): CountedValue => {
  const sinceMs = NOW - hoursAgo * HOUR_MS;
  const leavesAt = new Date(sinceMs + 24 * HOUR_MS + 300_000).toISOString();
  return { since: new Date(sinceMs).toISOString(), leavesAt, usd };
};
const used = (window: readonly CountedValue[]) =>
  usageHours(window, NOW)
    .filter(({ usd }) => usd > 0)
    .map(({ fromMs, usd }) => [new Date(fromMs).toTimeString().slice(0, 5), usd]);

it('hours cover the last day up to now, the oldest first, without a gap', () => {
  const hours = usageHours([], NOW);
  expect(hours).toHaveLength(25);
  expect(hours[0]!.fromMs).toBeLessThanOrEqual(NOW - 24 * HOUR_MS);
  expect(hours.at(-1)!.toMs).toBeGreaterThan(NOW);
  expect(hours.slice(1).every(({ fromMs }, index) => fromMs === hours[index]!.toMs)).toBe(true);
});

it('adds values of one hour exactly, and keeps another hour apart', () => {
  expect(used([value(0.01, 0.1), value(0.02, 0.2), value(2, 5)])).toEqual([
    ['10:00', 5],
    ['12:00', 0.3],
  ]);
});

it('a value older than a day is in the first hour until it leaves', () => {
  expect(used([value(24.06, 1)])).toEqual([['12:00', 1]]);
  expect(used([value(24.2, 1)])).toEqual([]);
});
