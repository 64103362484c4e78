import { AppError, clamp, type Clock, isTimeout, jsonOf, OpenCalls, readText, type Secret } from '@agent-wallet/kernel';
import { callUpstream, upstreamMethodOf } from '@agent-wallet/telemetry';
import { LONGEST_PAUSE_MS } from '../ports/request-budget.js';

/** Options of the aggregator's HTTP client. */
interface JupiterHttpOptions {
  readonly baseUrl: string;
  readonly apiKey?: Secret<string> | undefined;
  readonly clock: Clock;
}

/** One exchange with the aggregator. */
export interface JupiterCall {
  /** Path and query. */
  readonly path: string;
  /** JSON of a POST; undefined for a GET. */
  readonly body?: string;
  readonly timeoutMs: number;
}

/** A response of the aggregator with any status. */
export interface JupiterResponse {
  readonly status: number;
  /** The body as JSON; undefined when it is none. */
  readonly body: unknown;
  /** By which the aggregator's people find the call again. */
  readonly gatewayRequestId: string;
  /** For how long it wants to be left alone, in milliseconds; undefined when it does not say that it does. */
  readonly pauseMs: number | undefined;
}

const MAX_RESPONSE_BYTES = 1024 * 1024;
/** Pause after a 429 that names no time, in milliseconds. */
const DEFAULT_PAUSE_MS = 1_000;
const TOO_MANY_REQUESTS = 429;
const REQUEST_ID = /^[\w.:-]{1,100}$/;

/** The aggregator's API over HTTP. What it says is read here and nowhere repeated. */
export class JupiterHttp {
  readonly #root: string;
  readonly #host: string;
  readonly #calls = new OpenCalls();

  /** Nothing is sent before the first call. @throws TypeError when the URL is none */
  constructor(private readonly options: JupiterHttpOptions) {
    // The error of `new URL` would carry the text.
    if (!URL.canParse(options.baseUrl)) throw new TypeError('the address of the aggregator is not a URL');
    const { href, hostname, username, password } = new URL(options.baseUrl);
    // Every call would fail, and name them.
    if (username || password) throw new TypeError('the address of the aggregator must have no credentials');
    this.#host = hostname;
    this.#root = href.replace(/\/+$/, '');
  }

  /** @throws AppError UPSTREAM_ERROR or UPSTREAM_TIMEOUT when there is no answer */
  call(call: JupiterCall): Promise<JupiterResponse> {
    const { path } = call;
    const exchange = (signal: AbortSignal) => this.#exchange(call, signal);
    return callUpstream({ upstream: 'aggregator', method: upstreamMethodOf(path), host: this.#host }, () =>
      this.#calls.within(call.timeoutMs, exchange),
    );
  }

  async #exchange({ path, body }: JupiterCall, signal: AbortSignal): Promise<JupiterResponse> {
    const { apiKey, clock } = this.options;
    try {
      const response = await fetch(this.#root + path, {
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(apiKey ? { 'x-api-key': apiKey.reveal() } : {}),
        },
        ...(body === undefined ? {} : { method: 'POST', body }),
        // A redirect would take the key, or signed bytes, to another host.
        redirect: 'error',
        signal,
      });
      const requestId = this.#withoutKey(response.headers.get('x-api-gateway-request-id') ?? '');
      return {
        status: response.status,
        body: jsonOf(this.#withoutKey(await readText(response, MAX_RESPONSE_BYTES))),
        gatewayRequestId: REQUEST_ID.test(requestId) ? requestId : '',
        pauseMs: response.status === TOO_MANY_REQUESTS ? pauseMs(response.headers, clock) : undefined,
      };
    } catch (error) {
      throw new AppError(isTimeout(error) ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_ERROR', { cause: error });
    }
  }

  /** Breaks off what is under way. */
  close(): void {
    this.#calls.close();
  }

  /**
   * Removes the API key from a response. Responses may be logged, and servers often repeat a key that they do not know.
   */
  #withoutKey(text: string): string {
    const key = this.options.apiKey?.reveal();
    return key ? text.replaceAll(key, '***') : text;
  }
}

/** Returns the pause until the second that the API names as the end of its window. */
function pauseMs(headers: Headers, clock: Clock): number {
  const resetMs = Number(headers.get('x-ratelimit-reset') ?? NaN) * 1_000 - clock.nowMs();
  return Number.isFinite(resetMs) ? clamp(resetMs, DEFAULT_PAUSE_MS, LONGEST_PAUSE_MS.ask) : DEFAULT_PAUSE_MS;
}
