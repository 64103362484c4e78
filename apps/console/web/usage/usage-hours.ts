import type { CountedValue } from '../api/records.js';
import { microsOf, MICROS } from './usage-curve.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** An hour of the clock, and what was used in it of what still counts. */
export interface UsageHour {
  readonly fromMs: number;
  readonly toMs: number;
  readonly usd: number;
}

/** Returns the hours of the last day, the oldest first. A value that has left does not count. */
export function usageHours(window: readonly CountedValue[], nowMs: number): UsageHour[] {
  const firstMs = startOfHour(nowMs - DAY_MS);
  const micros = new Map<number, number>();
  for (const { since, leavesAt, usd } of window) {
    if (Date.parse(leavesAt) <= nowMs) continue;
    // Values that settle together leave together, so the first of them may be older than a day.
    const hour = Math.floor((Math.max(Date.parse(since), firstMs) - firstMs) / HOUR_MS);
    micros.set(hour, (micros.get(hour) ?? 0) + microsOf(usd));
  }
  const count = Math.floor((nowMs - firstMs) / HOUR_MS) + 1;
  return Array.from({ length: count }, (_, hour) => {
    const fromMs = firstMs + hour * HOUR_MS;
    return { fromMs, toMs: fromMs + HOUR_MS, usd: (micros.get(hour) ?? 0) / MICROS };
  });
}

/** Returns the start of an hour in the reader's zone, which may differ from UTC by half an hour. */
function startOfHour(ms: number): number {
  return new Date(ms).setMinutes(0, 0, 0);
}
