/** How many calls of one kind an organisation may make in a while. */
export interface RequestBudget {
  readonly limit: number;
  readonly windowMs: number;
}

/** Where a caller stands in its window. */
export interface LimitUsage {
  /** Calls in the window, this one included. */
  readonly current: number;
  /** Negative when there were too many. */
  readonly remaining: number;
  /** When the window has room again, in milliseconds. */
  readonly resetMs: number;
}

/** Counts calls in a sliding window; refused ones do not count. */
export class SlidingWindow {
  private readonly calls = new Map<string, number[]>();

  constructor(private readonly allowance: RequestBudget) {}

  /** Counts one call of an organisation at a time. */
  take(organisation: string, nowMs: number): LimitUsage {
    const { limit, windowMs } = this.allowance;
    const calls = this.calls.get(organisation) ?? [];
    this.calls.set(organisation, calls);
    const firstLive = calls.findIndex((timeMs) => timeMs > nowMs - windowMs);
    calls.splice(0, firstLive < 0 ? calls.length : firstLive);
    const current = calls.length + 1;
    if (current <= limit) calls.push(nowMs);
    return { current, remaining: limit - current, resetMs: calls[0]! + windowMs };
  }
}
