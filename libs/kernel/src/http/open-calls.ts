/**
 * Upstream calls that end in time, or all at once. Of a call that is over nothing is kept, while `AbortSignal.any`
 * of a signal that lives on keeps a little of each for ever (Node 20).
 */
export class OpenCalls {
  readonly #open = new Set<AbortController>();
  #isClosed = false;

  /**
   * Makes a call, and aborts its signal after a time: with a `TimeoutError`, as `isTimeout` knows it.
   * @param call must end when its signal is aborted
   */
  async within<T>(timeoutMs: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    if (this.#isClosed) controller.abort();
    const late = () => controller.abort(new DOMException(`no answer within ${timeoutMs} ms`, 'TimeoutError'));
    const timer = setTimeout(late, timeoutMs);
    timer.unref();
    this.#open.add(controller);
    try {
      return await call(controller.signal);
    } finally {
      clearTimeout(timer);
      this.#open.delete(controller);
    }
  }

  /** Breaks off the calls under way, and all that come later. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#open) controller.abort();
  }
}
