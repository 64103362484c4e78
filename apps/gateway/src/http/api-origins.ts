import { methodsOf } from '../api/routes.js';
import { HEADERS } from '../api/schemas/headers.js';
import type { FastifyReply, FastifyRequest } from './fastify-types.js';
import { isOwnersPath } from './owners/owner-admission.js';

/** Request headers of the agents' API, beyond those that browsers send unasked. */
const REQUEST_HEADERS = 'authorization, content-type, idempotency-key, if-match, if-none-match, last-event-id, prefer';

/**
 * Lets pages of the operator's `API_ORIGINS` call the agents' API with a bearer token (CORS). Credentials are never allowed:
 * what has cookies, the API of owners, is not opened by it. A library would answer every `OPTIONS` before the rate limit.
 */
export class ApiOrigins {
  readonly #origins: ReadonlySet<string>;

  constructor(origins: readonly string[] = []) {
    this.#origins = new Set(origins);
  }

  /** Lets a listed page read the response. */
  allow(request: FastifyRequest, reply: FastifyReply): void {
    if (!this.#isAllowed(request)) return;
    reply.headers({
      'access-control-allow-origin': request.headers.origin,
      'access-control-expose-headers': Object.keys(HEADERS).join(', '),
    });
  }

  /** Reports whether a request is a preflight of a listed page; if so, sets the response headers. */
  answerPreflight(request: FastifyRequest, reply: FastifyReply, methods: readonly string[]): boolean {
    const asked = request.headers['access-control-request-method'];
    if (request.method !== 'OPTIONS' || asked === undefined || !this.#isAllowed(request)) return false;
    reply.headers({
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': REQUEST_HEADERS,
      'access-control-max-age': '600',
    });
    return true;
  }

  /** Tells caches that the response depends on the page. Documents have a `Vary` of their own. */
  vary(request: FastifyRequest, reply: FastifyReply): void {
    if (this.#origins.size === 0 || isOwnersPath(request.url)) return;
    const others = reply.getHeader('vary');
    reply.header('vary', others === undefined ? 'Origin' : `${String(others)}, Origin`);
  }

  #isAllowed({ headers: { origin }, url }: FastifyRequest): boolean {
    if (origin === undefined || !this.#origins.has(origin) || isOwnersPath(url)) return false;
    return methodsOf(url.split('?', 1)[0]!).length > 0;
  }
}
