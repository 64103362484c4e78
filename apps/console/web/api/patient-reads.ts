const MAX_TRIES = 5;
/** Longest wait without a person's word: the window of the limits that reads have is a minute. */
const MAX_WAIT_MS = 120_000;
const MIN_WAIT_MS = 1_000;

/** Parts of the browser that the reads use. */
export interface ReadParts {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly nowMs: () => number;
  /** Waits, or throws the reason of the signal. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Sends requests. A read that the rate limit refuses waits and is sent again; a write is sent once. */
export class PatientReads {
  #openAtMs = 0;
  #waiting = 0;
  readonly #listeners = new Set<() => void>();

  constructor(private readonly parts: ReadParts) {}

  /** Sends a request. While one read waits, every other read waits with it. */
  readonly send = async (request: Request): Promise<Response> => {
    if (request.method !== 'GET') return this.parts.fetch(request);
    for (let tries = 1; ; tries += 1) {
      await this.#wait(request.signal);
      const response = await this.parts.fetch(request);
      if (response.status !== 429 || tries === MAX_TRIES) return response;
      const waitMs = await waitOf(response, this.parts.nowMs());
      if (waitMs === undefined || waitMs > MAX_WAIT_MS) return response;
      this.#openAtMs = Math.max(this.#openAtMs, this.parts.nowMs() + Math.max(waitMs, MIN_WAIT_MS));
    }
  };

  /** Calls back whenever it may have changed whether a read waits. Returns how that ends. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Returns whether a read waits for the rate limit. */
  readonly isWaiting = (): boolean => this.#waiting > 0;

  async #wait(signal: AbortSignal): Promise<void> {
    const leftMs = this.#openAtMs - this.parts.nowMs();
    if (leftMs <= 0) return;
    this.#count(1);
    try {
      await this.parts.sleep(leftMs, signal);
    } finally {
      this.#count(-1);
    }
  }

  #count(change: 1 | -1): void {
    this.#waiting += change;
    for (const listener of this.#listeners) listener();
  }
}

/** Waits for a time, which ends early with the signal. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}

/** Returns how long the service asks to wait; undefined where it does not say. */
async function waitOf(response: Response, nowMs: number): Promise<number | undefined> {
  const seconds = Number(response.headers.get('retry-after') ?? NaN);
  if (Number.isFinite(seconds)) return seconds * 1_000;
  const body = (await response
    .clone()
    .json()
    .catch(() => undefined)) as { readonly data?: { readonly retryAt?: string | null } | null } | undefined;
  const atMs = Date.parse(body?.data?.retryAt ?? '');
  return Number.isNaN(atMs) ? undefined : atMs - nowMs;
}
