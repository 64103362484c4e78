import { type AuthenticationReason, type Clock, isTokenScope, isUuid, RecentlyUsed } from '@agent-wallet/kernel';
import type { JwtService } from '@nestjs/jwt';
import { createHash, type KeyObject } from 'node:crypto';
import { Strategy } from 'passport-jwt';
import type { ScopedToken } from '../domain/session.js';
import type { ClaimedSession } from '../ports/rate-limiter.js';
import type { TokenKeys, TokenNames } from '../ports/tokens.js';
import type { FastifyRequest } from './fastify-types.js';

/** The claims of a good token. The database decides whether its session is still live. */
interface Bearer extends ClaimedSession {
  /** Unix milliseconds. */
  readonly expiresAtMs: number;
  /** Time of the mailed code that the session goes back to, in Unix milliseconds. */
  readonly authenticatedAtMs: number;
  /** The scoped token that it is; undefined for the token of a login. */
  readonly token?: ScopedToken | undefined;
  /** The app that it was given to, whose resource is the MCP endpoint; undefined for tokens of the whole API. */
  readonly clientId?: string | undefined;
}

interface Payload {
  readonly aud?: unknown;
  readonly client_id?: unknown;
  readonly sub?: unknown;
  readonly jti?: unknown;
  readonly exp?: unknown;
  readonly auth_time?: unknown;
  /** Id of a scoped token; its scopes stand between spaces in `scope` (RFC 8693). */
  readonly tid?: unknown;
  readonly scope?: unknown;
}

const BEARER = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i;

/** Issuer and audiences of tokens. */
interface BearerNames extends TokenNames {
  /** Returns the resource that tokens of apps are for; undefined where apps cannot connect. */
  readonly resource: () => string | undefined;
}

type Verified = (error: unknown, bearer: Bearer | false) => void;

/** The key name in a token's header, and the key of that name. */
interface NamedKey {
  readonly kid: string;
  readonly key: KeyObject;
}

/**
 * Reads bearer tokens: ES256 and nothing else, our issuer, one of our audiences, a key of our folder, not over.
 *
 * This runs passport-jwt's strategy by itself. Registered with Passport it would be one per process, and a process may
 * run several gateways. A token whose signature was found good is not verified again while the same key stands.
 */
export class BearerTokens {
  readonly #strategy: Strategy;
  readonly #verified = new VerifiedTokens<NamedKey & { readonly bearer: Bearer }>();
  readonly #keyOf = new WeakMap<FastifyRequest, NamedKey>();

  constructor(
    private readonly keys: TokenKeys,
    private readonly jwt: JwtService,
    private readonly names: BearerNames,
    private readonly clock: Clock,
  ) {
    this.#strategy = new Strategy(
      {
        jwtFromRequest: (request: unknown) => bearerToken(request as FastifyRequest),
        algorithms: ['ES256'],
        issuer: names.issuer,
        ignoreExpiration: true, // by our clock, below
        secretOrKeyProvider: (request: unknown, token: string, done: (error: unknown, key?: string) => void) => {
          this.#findKey(request as FastifyRequest, token).then(
            (key) => done(key ? null : new Error('unknown key'), key as unknown as string),
            (error: unknown) => done(error),
          );
        },
      },
      (payload: Payload, verified: Verified) => verified(null, this.#toBearer(payload)),
    );
  }

  /**
   * Returns the session that a request's token claims, or the reason that there is none.
   * @param mayVerify resolves when the token, which was not verified before, may be
   */
  async read(request: FastifyRequest, mayVerify: () => Promise<void>): Promise<Bearer | AuthenticationReason> {
    const token = bearerToken(request);
    if (!token) return request.headers.authorization === undefined ? 'missing' : 'malformed';
    let bearer = await this.#remembered(token);
    if (!bearer) {
      await mayVerify();
      bearer = await this.#verify(request, token);
    }
    if (!bearer) return 'invalid';
    return bearer.expiresAtMs > this.clock.nowMs() ? bearer : 'expired';
  }

  async #remembered(token: string): Promise<Bearer | undefined> {
    const found = this.#verified.find(token);
    return found && (await this.keys.publicKey(found.kid)) === found.key ? found.bearer : undefined;
  }

  async #verify(request: FastifyRequest, token: string): Promise<Bearer | undefined> {
    const bearer = await new Promise<Bearer | undefined>((resolve, reject) => {
      const attempt = Object.assign(Object.create(this.#strategy) as Strategy, {
        success: (good: Bearer) => resolve(good),
        fail: () => resolve(undefined),
        error: reject,
      });
      attempt.authenticate(request as never, {});
    });
    const named = this.#keyOf.get(request);
    if (bearer && named) this.#verified.keep(token, { bearer, ...named });
    return bearer;
  }

  /** Returns the claims of a token for the API, or for an app at our resource; false for every other. */
  #toBearer(payload: Payload): Bearer | false {
    const bearer = toBearer(payload);
    const { aud, client_id: clientId } = payload;
    if (aud === this.names.audience) return bearer;
    const isOfApp = aud !== undefined && aud === this.names.resource() && typeof clientId === 'string';
    return isOfApp && bearer && bearer.token !== undefined && { ...bearer, clientId };
  }

  async #findKey(request: FastifyRequest, token: string): Promise<KeyObject | undefined> {
    const decoded = this.jwt.decode<{ header?: { kid?: unknown } } | null>(token, { complete: true });
    const kid = decoded?.header?.kid;
    const key = typeof kid === 'string' ? await this.keys.publicKey(kid) : undefined;
    if (key) this.#keyOf.set(request, { kid: kid as string, key });
    return key;
  }
}

/** Returns the token of a request that has exactly one Authorization header with a token in it and nothing else. */
function bearerToken(request: FastifyRequest): string | null {
  const [given = '', ...more] = request.raw.headersDistinct.authorization ?? [];
  const token = BEARER.exec(given)?.[1];
  return token && more.length === 0 && token.split('.').every(isCanonical) ? token : null;
}

const WHOLE_TOKEN = 'Send the whole `sessionToken`, or log in again.';
const FORM = 'Send `Authorization: Bearer <token>`.';

/** Says what is wrong with the Authorization header of a request whose token could not be read. */
export function malformation(request: FastifyRequest): string {
  const [given = '', ...more] = request.raw.headersDistinct.authorization ?? [];
  if (more.length > 0) return `The Authorization header is there ${more.length + 1} times. Send it once.`;
  if (/^Bearer\s*$/i.test(given)) return `The Authorization header has no token after \`Bearer\`. ${FORM}`;
  if (/^Bearer /i.test(given)) return `The bearer token is incomplete or not a token of this service. ${WHOLE_TOKEN}`;
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(given))
    return `The Authorization header lacks \`Bearer\` before the token. ${FORM}`;
  return `The Authorization header is not \`Bearer <token>\`. ${FORM}`;
}

/** Reports whether base64url is written in its one right way. A decoder ignores bits left over at the end. */
function isCanonical(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part;
}

function toBearer({ sub, jti, exp, auth_time: authTime, tid, scope }: Payload): Bearer | false {
  if (typeof sub !== 'string' || typeof jti !== 'string' || !isUuid(sub) || !isUuid(jti)) return false;
  if (typeof exp !== 'number' || typeof authTime !== 'number') return false;
  const bearer = { agentId: sub, sessionId: jti, expiresAtMs: exp * 1000, authenticatedAtMs: authTime * 1000 };
  if (tid === undefined && scope === undefined) return bearer;
  const token = toScopedToken(tid, scope);
  return token && { ...bearer, token };
}

/** Returns what a token is limited to. Claims that cannot be read make it no token at all: it must not pass without limits. */
function toScopedToken(id: unknown, scope: unknown): ScopedToken | false {
  if (typeof id !== 'string' || !isUuid(id) || typeof scope !== 'string') return false;
  const scopes = scope.split(' ');
  return scopes.every(isTokenScope) && { id, scopes };
}

const KEPT_AT_MOST = 10_000;

/**
 * Tokens whose signature need not be verified again: a signature does not change. What does change (the key's folder, the
 * time, the session) is checked by the caller on every request. Those used last are kept, by their digest: no token
 * stays in memory because of this.
 */
export class VerifiedTokens<Verified> {
  readonly #byDigest: RecentlyUsed<Verified>;

  constructor(keptAtMost = KEPT_AT_MOST) {
    this.#byDigest = new RecentlyUsed(keptAtMost);
  }

  find(token: string): Verified | undefined {
    return this.#byDigest.use(digestOf(token));
  }

  keep(token: string, verified: Verified): void {
    this.#byDigest.keep(digestOf(token), verified);
  }
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
