import type { CountedValue } from '../api/records.js';

/** Millionths of a dollar. */
export const MICROS = 1_000_000;

/** A point from which on so much counts. */
export interface UsagePoint {
  readonly atMs: number;
  readonly usd: number;
  /** What leaves at this point. */
  readonly leavesUsd: number;
}

/** Returns how much still counts at each time in the next 24 hours, if nothing more is spent. The first point is now. */
export function usageCurve(window: readonly CountedValue[], nowMs: number): UsagePoint[] {
  const counted = window.filter(({ leavesAt }) => Date.parse(leavesAt) > nowMs);
  const leaving = new Map<number, number>();
  for (const { leavesAt, usd } of counted) {
    const atMs = Date.parse(leavesAt);
    leaving.set(atMs, (leaving.get(atMs) ?? 0) + microsOf(usd));
  }
  let left = counted.reduce((sum, { usd }) => sum + microsOf(usd), 0);
  const points: UsagePoint[] = [{ atMs: nowMs, usd: left / MICROS, leavesUsd: 0 }];
  for (const [atMs, micros] of [...leaving].sort(([one], [other]) => one - other)) {
    left -= micros;
    points.push({ atMs, usd: left / MICROS, leavesUsd: micros / MICROS });
  }
  return points;
}

/** Returns whole millionths of a dollar, which add up exactly. */
export function microsOf(usd: number): number {
  return Math.round(usd * MICROS);
}
