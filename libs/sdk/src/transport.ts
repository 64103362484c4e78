import { ApiError, type ErrorData, NoAnswerError } from './errors.js';
import { noAnswer, toBase } from './unreachable.js';

/** Settings of a client. */
export interface TransportOptions {
  /** Address of the service: `https://wallet.example.com`. */
  readonly baseUrl: string;
  /** `fetch` of another kind, for a proxy or a test. */
  readonly fetch?: typeof fetch;
  /** Longest time of one attempt, in milliseconds; 40,000 when omitted. The service answers within 25,000. */
  readonly timeoutMs?: number;
  /** Time within which attempts are repeated, in milliseconds; 60,000 when omitted. */
  readonly retryForMs?: number;
  /** Called before each further attempt. */
  readonly onRetry?: (error: ApiError | NoAnswerError, waitMs: number) => void;
}

/** Request to the service. */
interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With its query. */
  readonly path: string;
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the same request may be sent again: a read, or a request with a key for as long as that is kept. */
  readonly repeatable: boolean | (() => boolean);
  readonly signal?: AbortSignal | undefined;
}

/** A success. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly data: unknown;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;
/** Attempts to connect to a host that has never answered: its address is probably wrong. */
const MOST_UNREACHABLE = 3;

/** Sends requests, and repeats those that may be repeated for as long as the service says that it helps. */
export class Transport {
  readonly #baseUrl: string;
  /** Failures to connect before the first answer; null after it. */
  #unreachable: number | null = 0;
  /** Bearer token; undefined before a login. */
  token: string | undefined;

  constructor(
    readonly options: TransportOptions,
    token?: string,
  ) {
    this.#baseUrl = toBase(options.baseUrl);
    this.token = token;
  }

  /**
   * Sends a request until it has an answer that another attempt would not change.
   * @throws ApiError for a refusal, NoAnswerError, and what the signal aborts with
   */
  async request(call: Call): Promise<Answer> {
    const { retryForMs = 60_000, onRetry } = this.options;
    const endsAtMs = performance.now() + retryForMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        return await this.#attempt(call);
      } catch (error) {
        if (!mayRepeat(call) || !this.mayPass(error)) throw error;
        const named = error instanceof ApiError ? error.retryAfterSeconds : undefined;
        // Not all clients at the same moment.
        const waitMs = Math.max(pauseMs * (0.5 + fraction() / 2), (named ?? 0) * 1_000);
        if (performance.now() + waitMs > endsAtMs) throw error;
        onRetry?.(error, waitMs);
        await pause(waitMs, call.signal);
        if (!mayRepeat(call)) throw error;
      }
    }
  }

  /** Opens a stream of Server-Sent Events. @throws ApiError, NoAnswerError */
  async open(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> {
    const call = {
      method: 'GET',
      path,
      headers: { accept: 'text/event-stream', ...headers },
      repeatable: false,
    } as const;
    const response = await this.#send(call, signal);
    if (response.ok) return response;
    throw failureOf(response, await textOf(response));
  }

  /** Reports whether another attempt of the same request may end otherwise. */
  mayPass(error: unknown): error is ApiError | NoAnswerError {
    if (error instanceof NoAnswerError) return !error.isUnreachable || (this.#unreachable ?? 0) < MOST_UNREACHABLE;
    // After a 401 the caller must log in first. A failure that names its operation is its end.
    return (
      error instanceof ApiError &&
      error.retry === 'same_key' &&
      error.status !== 401 &&
      error.transactionId === undefined
    );
  }

  async #attempt(call: Call): Promise<Answer> {
    const { timeoutMs = 40_000 } = this.options;
    const timeout = AbortSignal.timeout(timeoutMs);
    const response = await this.#send(call, call.signal ? AbortSignal.any([call.signal, timeout]) : timeout);
    const text = await textOf(response, call.signal);
    const body = parsed(text);
    if (response.ok && body?.status === true) {
      return { status: response.status, headers: response.headers, data: body.data };
    }
    throw failureOf(response, text);
  }

  async #send({ method, path, body, headers, signal }: Call, within: AbortSignal): Promise<Response> {
    // Text that follows the host at once would be a part of its name.
    if (!path.startsWith('/')) throw new TypeError(`A path begins with /, not as ${path} does.`);
    const { fetch: send = fetch } = this.options;
    const sent: Record<string, string> = { accept: 'application/json', ...headers };
    if (this.token !== undefined) sent['authorization'] = `Bearer ${this.token}`;
    if (body !== undefined) sent['content-type'] = 'application/json';
    try {
      // A redirect comes from something else than the service, which must not get the request.
      const redirect = 'manual';
      const init = { method, headers: sent, body: body ?? null, signal: within, redirect } as const;
      const response = await send(this.#baseUrl + path, init);
      this.#unreachable = null;
      return response;
    } catch (cause) {
      signal?.throwIfAborted();
      const failure = noAnswer(`${method} ${path}`, this.#baseUrl, cause);
      // A host that cuts a connection is there.
      if (!failure.isUnreachable) this.#unreachable = null;
      else if (this.#unreachable !== null) this.#unreachable += 1;
      throw failure;
    }
  }
}

function mayRepeat({ repeatable }: Call): boolean {
  return typeof repeatable === 'function' ? repeatable() : repeatable;
}

interface Envelope {
  readonly status: boolean;
  readonly message: string;
  readonly data: unknown;
}

async function textOf(response: Response, signal?: AbortSignal): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    signal?.throwIfAborted();
    throw new NoAnswerError('The answer broke off', { cause });
  }
}

function parsed(text: string): Envelope | undefined {
  try {
    const body = JSON.parse(text) as Partial<Envelope> | null;
    return typeof body?.status === 'boolean' && typeof body.message === 'string' && 'data' in body
      ? (body as Envelope)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a failure by its envelope; without one, something between here and the service has answered. */
function failureOf(response: Response, text: string): ApiError | NoAnswerError {
  const { status, headers } = response;
  const body = parsed(text);
  const data = body?.data as ErrorData | null | undefined;
  if (body?.status !== false || typeof data?.code !== 'string' || typeof data.retry !== 'string') {
    return new NoAnswerError(`HTTP ${status} came from something else than the service`);
  }
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return new ApiError(body.message, status, data, Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined);
}

/** Returns a random number from 0 to below 1. */
function fraction(): number {
  return crypto.getRandomValues(new Uint16Array(1))[0]! / 2 ** 16;
}

/** Waits. @throws what the signal aborts with */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
