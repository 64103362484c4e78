import { AppError, type Clock, RecentlyUsed } from '@agent-wallet/kernel';
import { hashSecret } from '../../domain/secrets.js';
import { RateLimited } from '../../domain/rate-limits.js';
import { ownerUnauthenticated } from '../../domain/unauthenticated.js';
import type { OwnerStore } from '../../ports/owner-store.js';
import type { RateLimiter } from '../../ports/rate-limiter.js';
import type { OwnerCaller, RouteContract } from '../../api/route.js';
import type { FastifyReply, FastifyRequest } from '../fastify-types.js';
import { showWindow } from '../show-window.js';
import { ConnectionCookie } from './connection-cookie.js';
import { OwnerCookie } from './owner-cookie.js';

/** A few bytes each. A session that is forgotten counts for its network once more. */
const KNOWN_AT_MOST = 10_000;

const keyOf = (token: string): string => hashSecret(token).toString('base64');

/** Dependencies of the admission of owners. */
interface OwnerAdmissionDependencies {
  /** Origin of the console; undefined in a deployment without owners. */
  readonly origin: string | undefined;
  readonly owners: Pick<OwnerStore, 'use'>;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
}

/** The door of the owners' console: writes come from its page alone, and most requests need a session by passkey. */
export class OwnerAdmission {
  readonly #cookies: { readonly owner: OwnerCookie; readonly connection: ConnectionCookie } | undefined;
  /** Sessions that were good here, by the hash of their token. */
  readonly #known = new RecentlyUsed<true>(KNOWN_AT_MOST);

  constructor(private readonly dependencies: OwnerAdmissionDependencies) {
    const { origin } = dependencies;
    if (origin === undefined) return;
    this.#cookies = { owner: new OwnerCookie(origin), connection: new ConnectionCookie(origin) };
  }

  /** @throws AppError OWNERS_NOT_CONFIGURED */
  get cookie(): OwnerCookie {
    return this.#configured.owner;
  }

  /** @throws AppError OWNERS_NOT_CONFIGURED */
  get connectionCookie(): ConnectionCookie {
    return this.#configured.connection;
  }

  get #configured() {
    if (!this.#cookies) throw new AppError('OWNERS_NOT_CONFIGURED');
    return this.#cookies;
  }

  /** @throws AppError OWNERS_NOT_CONFIGURED */
  assertConfigured(): void {
    void this.cookie;
  }

  /** Reports whether a request's session was good here before: then its owner is counted, and not the client's network. */
  isKnown(request: FastifyRequest): boolean {
    const token = this.#cookies?.owner.read(request);
    return token !== undefined && this.#known.use(keyOf(token)) === true;
  }

  /**
   * Checks a request, and counts it for the owner of its session.
   * @throws AppError OWNERS_NOT_CONFIGURED, AUTHENTICATION_ERROR, RateLimited
   */
  async admit(
    { auth, method }: RouteContract,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<OwnerCaller | undefined> {
    const token = this.cookie.read(request);
    // A browser names the page that writes; what other pages send is refused, with a good cookie too. Of reads it names
    // those across origins alone.
    const { origin } = request.headers;
    const isUnnamedRead = method === 'GET' && origin === undefined;
    if (!isUnnamedRead && origin !== this.dependencies.origin) throw ownerUnauthenticated('wrong_origin');
    if (auth === 'console') return undefined;
    if (token === undefined) throw ownerUnauthenticated('missing');
    const session = await this.dependencies.owners.use(hashSecret(token));
    if (!session) {
      this.#known.drop(keyOf(token));
      throw ownerUnauthenticated('expired');
    }
    this.#known.keep(keyOf(token), true);
    if (auth === 'owner' && session.authenticatedBy !== 'passkey') throw ownerUnauthenticated('passkey_required');
    // A thief of the owner's mail must not use up what a session by passkey needs.
    const { id } = session.owner;
    const counted = session.authenticatedBy === 'passkey' ? id : `${id} by mail`;
    const window = await this.dependencies.limiter.take('owner', counted);
    showWindow(reply, window, { nowMs: this.dependencies.clock.nowMs() });
    if (window.remaining < 0) throw new RateLimited('owner', window, this.dependencies.clock.nowMs());
    return { ...session, token };
  }

  /** Lets the console's page, and no other, read what it asks for. */
  allowConsole(request: FastifyRequest, reply: FastifyReply): void {
    reply.header('vary', 'Origin');
    const { origin } = this.dependencies;
    if (origin === undefined || request.headers.origin !== origin) return;
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': 'Retry-After',
    });
  }

  /** Reports whether a request is a preflight of the console's page; if so, sets the response headers. */
  answerPreflight(request: FastifyRequest, reply: FastifyReply, methods: readonly string[]): boolean {
    const { origin } = this.dependencies;
    const asked = request.headers['access-control-request-method'];
    if (request.method !== 'OPTIONS' || asked === undefined || methods.length === 0) return false;
    if (origin === undefined || request.headers.origin !== origin) return false;
    reply.headers({
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': 'content-type',
      'access-control-max-age': '600',
    });
    return true;
  }
}

/** Reports whether a path belongs to the owners' console. */
export function isOwnersPath(url: string): boolean {
  return url.startsWith('/owner/');
}
