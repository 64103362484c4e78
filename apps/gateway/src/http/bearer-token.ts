import { type Clock, isUuid } from '@agent-wallet/kernel';
import type { JwtService } from '@nestjs/jwt';
import type { FastifyRequest } from './fastify-types.js';
import { Strategy } from 'passport-jwt';
import type { ClaimedSession } from '../ports/rate-limiter.js';
import type { TokenKeys, TokenNames } from '../ports/token-keys.js';

/** What a good token says. Whether its session still stands is for the database to say. */
export interface Bearer extends ClaimedSession {
  /** Unix milliseconds. */
  readonly expiresAtMs: number;
}

interface Payload {
  readonly sub?: unknown;
  readonly jti?: unknown;
  readonly exp?: unknown;
}

const BEARER = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i;

type Verified = (error: unknown, bearer: Bearer | false) => void;

/**
 * Reads bearer tokens: ES256 and nothing else, our issuer, our audience, a key of our folder, not over.
 *
 * This runs passport-jwt's strategy by itself. Registered with Passport it would be one per process, and a process may
 * run several gateways.
 */
export class BearerTokens {
  readonly #strategy: Strategy;

  constructor(keys: TokenKeys, jwt: JwtService, names: TokenNames, clock: Clock) {
    this.#strategy = new Strategy(
      {
        jwtFromRequest: (request: unknown) => bearerToken(request as FastifyRequest),
        algorithms: ['ES256'],
        issuer: names.issuer,
        audience: names.audience,
        ignoreExpiration: true, // by our clock, below
        secretOrKeyProvider: (_request: unknown, token: string, done: (error: unknown, key?: string) => void) => {
          publicKeyFor(token, keys, jwt).then(
            (key) => done(key ? null : new Error('unknown key'), key as unknown as string),
            (error: unknown) => done(error),
          );
        },
      },
      (payload: Payload, verified: Verified) => verified(null, toBearer(payload, clock.nowMs())),
    );
  }

  /** The session that a request's token claims; undefined without a good token. */
  read(request: FastifyRequest): Promise<Bearer | undefined> {
    return new Promise((resolve, reject) => {
      const attempt = Object.assign(Object.create(this.#strategy) as Strategy, {
        success: (bearer: Bearer) => resolve(bearer),
        fail: () => resolve(undefined),
        error: reject,
      });
      attempt.authenticate(request as never, {});
    });
  }
}

/** The token of a request that has exactly one Authorization header with a token in it and nothing else. */
function bearerToken(request: FastifyRequest): string | null {
  const [given = '', ...more] = request.raw.headersDistinct.authorization ?? [];
  const token = BEARER.exec(given)?.[1];
  return token && more.length === 0 && token.split('.').every(isCanonical) ? token : null;
}

/** Whether base64url is written in its one right way. A decoder ignores bits left over at the end. */
function isCanonical(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part;
}

async function publicKeyFor(token: string, keys: TokenKeys, jwt: JwtService) {
  const decoded = jwt.decode<{ header?: { kid?: unknown } } | null>(token, { complete: true });
  const kid = decoded?.header?.kid;
  return typeof kid === 'string' ? keys.publicKey(kid) : undefined;
}

function toBearer({ sub, jti, exp }: Payload, nowMs: number): Bearer | false {
  if (typeof sub !== 'string' || typeof jti !== 'string' || !isUuid(sub) || !isUuid(jti)) return false;
  if (typeof exp !== 'number' || exp * 1000 <= nowMs) return false;
  return { agentId: sub, sessionId: jti, expiresAtMs: exp * 1000 };
}
