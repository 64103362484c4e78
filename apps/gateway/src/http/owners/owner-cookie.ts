import { OWNER_SESSION_MS } from '../../domain/owner-session.js';
import type { FastifyReply, FastifyRequest } from '../fastify-types.js';
import { readCookies } from './read-cookies.js';

const isSecure = (origin: string): boolean => origin.startsWith('https:');

/** Returns the name of the cookie of owners' sessions for the origin of their console. */
export function ownerCookieName(origin: string): string {
  return isSecure(origin) ? '__Secure-owner' : 'owner';
}

/** The cookie of an owner's session: for our own site alone, out of reach for scripts, and sent to /owner only. */
export class OwnerCookie {
  readonly #name: string;
  readonly #attributes: string;

  /** @param origin of the console: without TLS on http://localhost alone */
  constructor(origin: string) {
    this.#name = ownerCookieName(origin);
    this.#attributes = `Path=/owner; HttpOnly; SameSite=Strict${isSecure(origin) ? '; Secure' : ''}`;
  }

  /** Returns the token in a request. Undefined also for several: another host of the site may have set one. */
  read(request: FastifyRequest): string | undefined {
    const [token, ...more] = readCookies(request).flatMap(([name, value]) => (name === this.#name ? [value] : []));
    return more.length === 0 && token ? token : undefined;
  }

  set(reply: FastifyReply, token: string): void {
    reply.header('set-cookie', `${this.#name}=${token}; Max-Age=${OWNER_SESSION_MS / 1_000}; ${this.#attributes}`);
  }

  clear(reply: FastifyReply): void {
    reply.header('set-cookie', `${this.#name}=; Max-Age=0; ${this.#attributes}`);
  }
}
