import type { Clock } from '@agent-wallet/kernel';

/** A clock that stands still until a test moves it. */
export class FakeClock implements Clock {
  constructor(private time = 1_700_000_000_000) {}

  nowMs(): number {
    return this.time;
  }

  pass(durationMs: number): void {
    this.time += durationMs;
  }
}
