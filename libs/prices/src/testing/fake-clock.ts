import type { Clock } from '@agent-wallet/kernel';

/** A clock that stands still until it is told to go on. */
export class FakeClock implements Clock {
  constructor(private time = 1_700_000_000_000) {}

  nowMs(): number {
    return this.time;
  }

  pass(durationMs: number): void {
    this.time += durationMs;
  }
}
