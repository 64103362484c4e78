import { AppError, invalidCursor } from '@agent-wallet/kernel';
import { readKalshiError } from '@agent-wallet/kalshi';
import type { Logger } from '@agent-wallet/platform';
import type { EndpointCosts } from './endpoint-costs.js';
import { type KalshiResponse, type KalshiHttp, unanswered } from './kalshi-http.js';
import type { Lane, ReadQuota } from './read-quota.js';

/** A query to the exchange. */
export interface ReadQuery<T> {
  readonly path: string;
  readonly query?: URLSearchParams;
  readonly isSigned: boolean;
  readonly lane: Lane;
  readonly shape: Shape<T>;
}

/** A shape that an answer must have. */
export interface Shape<T> {
  safeParse(value: unknown): { readonly success: true; readonly data: T } | { readonly success: false; error: unknown };
}

/** Dependencies of the reader. */
interface KalshiReaderDependencies {
  readonly http: Pick<KalshiHttp, 'call'>;
  readonly quota: Pick<ReadQuota, 'take' | 'pause'>;
  readonly costs: Pick<EndpointCosts, 'of'>;
  readonly logger: Logger;
}

const READ_TIMEOUT_MS = 5_000;
/** Attempts of a query in all, while the exchange responds with 429. */
const MAX_TRIES = 3;
/** More pages than our account fills. */
const MAX_PAGES = 1_000;
const MAX_ROWS = 200_000;
const NOT_FOUND = 404;
const BAD_REQUEST = 400;
const TOO_MANY_REQUESTS = 429;

/** Reads at the exchange within its quota. */
export class KalshiReader {
  constructor(private readonly dependencies: KalshiReaderDependencies) {}

  /**
   * Returns the response to a query whose resource the exchange must have.
   * @throws AppError UPSTREAM_ERROR, UPSTREAM_TIMEOUT, SERVICE_UNAVAILABLE; VALIDATION_ERROR naming a cursor
   */
  async ask<T>(readQuery: ReadQuery<T>): Promise<T> {
    const found = await this.find(readQuery);
    if (found === undefined)
      throw new AppError('UPSTREAM_ERROR', { cause: new Error(`${readQuery.path} is not there`) });
    return found;
  }

  /** Returns the response to a query, or undefined when the exchange does not know the resource. */
  async find<T>(readQuery: ReadQuery<T>): Promise<T | undefined> {
    const answer = await this.#answer(readQuery);
    if (answer.status === 200) return this.#read(readQuery, answer);
    if (answer.status === NOT_FOUND) return undefined;
    // What is asked is well-formed, but the cursor of a browsing caller is the caller's own.
    if (answer.status === BAD_REQUEST && readQuery.lane === 'browsing' && readQuery.query?.has('cursor')) {
      const fields = { event: 'exchange.cursor_rejected', path: readQuery.path } as const;
      this.dependencies.logger.info(fields, 'Exchange rejected the cursor of an agent');
      throw invalidCursor();
    }
    const cause = this.#refusal(readQuery, answer);
    if (answer.status === TOO_MANY_REQUESTS) throw new AppError('SERVICE_UNAVAILABLE', { cause });
    throw new AppError('UPSTREAM_ERROR', { cause });
  }

  /** Yields all pages of a list, one after the other. @throws AppError as `ask` */
  async *pages<T extends { readonly cursor: string }>(readQuery: ReadQuery<T>): AsyncGenerator<T> {
    const query = new URLSearchParams(readQuery.query);
    const seen = new Set<string>();
    let rows = 0;
    while (seen.size < MAX_PAGES && rows < MAX_ROWS) {
      const page = await this.ask({ ...readQuery, query });
      yield page;
      const found = rowsOf(page);
      if (page.cursor === '' || (found === 0 && page.cursor === query.get('cursor'))) return;
      // A circle: what is missing must not be taken for nothing.
      if (seen.has(page.cursor)) break;
      seen.add(page.cursor);
      rows += found;
      query.set('cursor', page.cursor);
    }
    throw new AppError('UPSTREAM_ERROR', { cause: new Error(`${readQuery.path} never ends`) });
  }

  async #answer({ path, query, isSigned, lane }: ReadQuery<unknown>): Promise<KalshiResponse> {
    const { http, quota, costs } = this.dependencies;
    for (let tries = 1; ; tries += 1) {
      await quota.take(costs.of('GET', path), lane);
      const call = { path, isSigned, timeoutMs: READ_TIMEOUT_MS, ...(query ? { query } : {}) };
      const answer = await http.call(call).catch((error: unknown) => {
        throw unanswered(error);
      });
      if (answer.status !== TOO_MANY_REQUESTS) return answer;
      await quota.pause();
      if (tries >= MAX_TRIES) return answer;
    }
  }

  #read<T>({ path, shape }: ReadQuery<T>, { body }: KalshiResponse): T {
    const parsed = shape.safeParse(body);
    if (parsed.success) return parsed.data;
    const fields = { event: 'exchange.response_unrecognized', path, err: parsed.error } as const;
    this.dependencies.logger.warn(fields, 'Exchange response does not match its schema');
    throw new AppError('UPSTREAM_ERROR', { cause: parsed.error });
  }

  /** Returns the error of a rejected request. The exchange's own message goes only to the log. */
  #refusal({ path }: ReadQuery<unknown>, { status, body }: KalshiResponse): Error {
    const upstreamError = readKalshiError(body);
    const fields = { event: 'exchange.request_rejected', path, status, upstreamError } as const;
    this.dependencies.logger.warn(fields, 'Exchange rejected the request');
    return new Error(`the exchange answered with HTTP status ${status}`);
  }
}

function rowsOf(page: object): number {
  return Object.values(page).reduce<number>((sum, value) => sum + (Array.isArray(value) ? value.length : 0), 0);
}
