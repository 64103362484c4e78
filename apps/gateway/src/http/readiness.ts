import { AppError } from '@agent-wallet/kernel';

/** Whether requests can be served. */
export class Readiness {
  #stopping = false;

  /** @param checks each rejects when something that requests need is away */
  constructor(private readonly checks: ReadonlyArray<() => Promise<unknown>>) {}

  /** @throws AppError SERVICE_UNAVAILABLE */
  async check(): Promise<void> {
    if (this.#stopping) throw new AppError('SERVICE_UNAVAILABLE', { data: { reason: 'shutting_down' } });
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
