const MAX_TOKENS = 10;
const TOKENS_A_SUCCESS = 0.1;

/**
 * Keeps retries from making an outage worse: at most one for every ten calls that succeed, once a first handful is used up.
 * One budget counts for all calls of a connection.
 */
export class RetryBudget {
  #tokens = MAX_TOKENS;

  /** Takes a retry and reports whether there was one left. */
  take(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Records a successful call. */
  succeeded(): void {
    this.#tokens = Math.min(MAX_TOKENS, this.#tokens + TOKENS_A_SUCCESS);
  }
}
