import { AppError, type Clock, isTimeout, jsonOf, OpenCalls, readText } from '@agent-wallet/kernel';
import { type ApiKey, signKalshiRequest } from '@agent-wallet/kalshi';
import { callUpstream, upstreamMethodOf } from '@agent-wallet/telemetry';

/** Settings of the connection to the exchange. */
interface KalshiHttpOptions {
  /** With the API's own prefix: `https://…/trade-api/v2`. */
  readonly baseUrl: string;
  readonly key: ApiKey;
  readonly clock: Clock;
}

/** One exchange with the exchange. */
interface KalshiCall {
  /** Behind the prefix, without a query. */
  readonly path: string;
  readonly query?: URLSearchParams;
  /** JSON of a POST; undefined for a GET. */
  readonly body?: string;
  /** Whether it is about the account: then it is signed. */
  readonly isSigned: boolean;
  readonly timeoutMs: number;
}

/** A response of the exchange with any status. */
export interface KalshiResponse {
  readonly status: number;
  /** The body as JSON; undefined when it is none. */
  readonly body: unknown;
}

/** There is no answer. */
export class NoResponse extends Error {
  constructor(
    /** Whether the request certainly never left this machine. */
    readonly isUnsent: boolean,
    readonly isTimeout: boolean,
    cause: unknown,
  ) {
    super('the exchange did not answer', { cause });
    this.name = 'NoResponse';
  }
}

/** A page of a thousand markets has a few megabytes. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/** System error codes that mean no connection was made, so nothing can have been sent. */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** The exchange's API over HTTP. It repeats nothing, and what it says is read elsewhere. */
export class KalshiHttp {
  readonly #root: string;
  readonly #host: string;
  /** The prefix, which is signed with the path. */
  readonly #prefix: string;
  readonly #calls = new OpenCalls();

  /** Nothing is sent before the first call. @throws TypeError when the URL is none */
  constructor(private readonly options: KalshiHttpOptions) {
    // The error of `new URL` would carry the text.
    if (!URL.canParse(options.baseUrl)) throw new TypeError('the address of the exchange is not a URL');
    const { href, hostname, username, password, pathname } = new URL(options.baseUrl);
    // Every call would fail, and name them.
    if (username || password) throw new TypeError('the address of the exchange must have no credentials');
    this.#host = hostname;
    this.#root = href.replace(/\/+$/, '');
    this.#prefix = pathname.replace(/\/+$/, '');
  }

  /** @throws NoResponse */
  call(call: KalshiCall): Promise<KalshiResponse> {
    const { path } = call;
    const exchange = (signal: AbortSignal) => this.#exchange(call, signal);
    return callUpstream({ upstream: 'exchange', method: upstreamMethodOf(path), host: this.#host }, () =>
      this.#calls.within(call.timeoutMs, exchange),
    );
  }

  async #exchange({ path, query, body, isSigned }: KalshiCall, signal: AbortSignal): Promise<KalshiResponse> {
    const { key, clock } = this.options;
    const method = body === undefined ? 'GET' : 'POST';
    const search = query && query.size > 0 ? `?${query.toString()}` : '';
    const signed = { method, path: this.#prefix + path, timestampMs: clock.nowMs() } as const;
    try {
      const response = await fetch(this.#root + path + search, {
        method,
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(isSigned ? signKalshiRequest(key, signed) : {}),
        },
        ...(body === undefined ? {} : { body }),
        // A redirect would take a signed order to another host.
        redirect: 'error',
        signal,
      });
      return { status: response.status, body: jsonOf(await readText(response, MAX_RESPONSE_BYTES)) };
    } catch (error) {
      throw new NoResponse(NEVER_CONNECTED.has(codeOf(error)), isTimeout(error), error);
    }
  }

  /** Breaks off what is under way. */
  close(): void {
    this.#calls.close();
  }
}

/** Returns the error for a read that got no response. */
export function unanswered(error: unknown): AppError {
  const isLate = error instanceof NoResponse && error.isTimeout;
  return new AppError(isLate ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_ERROR', { cause: error });
}

/**
 * Returns the system error code of a failed `fetch`, which is in its cause; that may hold one error for each address.
 */
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? codeOf(error.cause) : '';
}
