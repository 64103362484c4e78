import { type Scheduler, sleep } from '@agent-wallet/kernel';
import { DEFAULT_APPROVAL_INTERVAL } from '../store/approval-interval.js';

/** Intervals of the runtime, in milliseconds. */
export interface OperationTiming {
  /** Time that a dead worker keeps an operation; three heartbeats. */
  readonly leaseMs: number;
  /** Between two polls of the chain for one transaction; polls of many share calls. */
  readonly pollIntervalMs: number;
  /** Between two searches on chain for a transaction whose id is not known. */
  readonly findMs: number;
  /** Between two sendings of the same bytes. */
  readonly resendMs: number;
  /** Between two searches for operations that no worker holds. */
  readonly searchMs: number;
  /** Between two polls of a row that another replica drives. */
  readonly watchMs: number;
  /** First pause after a failure that says nothing; doubles up to `maxRetryMs`. */
  readonly retryMs: number;
  readonly maxRetryMs: number;
  /** Between two questions about an approval: a quarter of the operation's age, within these. */
  readonly approvalMs: number;
  readonly maxApprovalMs: number;
  /** Time that a stop lets operations continue before it hands them over. */
  readonly graceMs: number;
}

/** For production. */
export const DEFAULT_TIMING: OperationTiming = {
  leaseMs: 6_000,
  pollIntervalMs: 100,
  findMs: 500,
  resendMs: 2_000,
  searchMs: 1_000,
  watchMs: 250,
  retryMs: 250,
  maxRetryMs: 5_000,
  approvalMs: DEFAULT_APPROVAL_INTERVAL.leastMs,
  maxApprovalMs: DEFAULT_APPROVAL_INTERVAL.mostMs,
  graceMs: 8_000,
};

/** Pauses at least this long between two tries, doubling with each. */
export function retryPauseMs({ retryMs, maxRetryMs }: OperationTiming, failures: number): number {
  return Math.min(retryMs * 2 ** Math.min(failures, 20), maxRetryMs);
}

/** Pauses that something may end early. A ring while nothing pauses ends the next pause. */
export class WakeSignal {
  #isDue = false;
  #ring: (() => void) | undefined;

  constructor(private readonly scheduler?: Scheduler) {}

  /** Ends the pause. */
  ring(): void {
    this.#isDue = true;
    this.#ring?.();
  }

  /** Waits, at most `ms` milliseconds. @throws Error (the signal's reason) when the signal ends the wait */
  async pause(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isDue) {
      const ringing = new AbortController();
      this.#ring = () => ringing.abort();
      const either = AbortSignal.any([signal, ringing.signal]);
      await sleep(ms, either, this.scheduler).catch(() => signal.throwIfAborted());
      this.#ring = undefined;
    }
    this.#isDue = false;
    signal.throwIfAborted();
  }
}
