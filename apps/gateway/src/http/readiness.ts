import { AppError } from '@agent-wallet/kernel';

/** Whether requests can be served. */
export class Readiness {
  #stopping = false;
  #last: { readonly result: Promise<void>; endsAtMs: number } | undefined;

  /**
   * @param checks each rejects when something that requests need is away
   * @param keptMs how long a result is kept: anyone may read it, uncounted, but each check asks database and services
   * @param elapsedMs a time that never goes back
   */
  constructor(
    private readonly checks: ReadonlyArray<() => Promise<unknown>>,
    private readonly keptMs: number,
    private readonly elapsedMs: () => number = () => performance.now(),
  ) {}

  /** Returns the result of checks that run, or whose result is kept. @throws AppError SERVICE_UNAVAILABLE */
  async check(): Promise<void> {
    if (this.#stopping) throw new AppError('SERVICE_UNAVAILABLE', { data: { reason: 'shutting_down' } });
    if (!this.#last || this.#last.endsAtMs <= this.elapsedMs()) {
      const last = { result: this.#checkAll(), endsAtMs: Infinity };
      this.#last = last;
      const keep = () => void (last.endsAtMs = this.elapsedMs() + this.keptMs);
      last.result.then(keep, keep);
    }
    return this.#last.result;
  }

  async #checkAll(): Promise<void> {
    const results = await Promise.allSettled(this.checks.map((check) => check()));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw unavailable(failed.reason);
  }

  /** Stops readiness: from now on nothing new should be sent here. */
  stop(): void {
    this.#stopping = true;
  }

  get stopping(): boolean {
    return this.#stopping;
  }
}

/** Returns the error of a check, which may contain the reason. */
function unavailable(cause: unknown): AppError {
  const isKnown = cause instanceof AppError && cause.code === 'SERVICE_UNAVAILABLE';
  return isKnown ? cause : new AppError('SERVICE_UNAVAILABLE', { cause });
}
