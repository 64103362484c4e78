import { DECIDE_WITHIN_MS } from '../../domain/connection.js';
import type { FastifyReply, FastifyRequest } from '../fastify-types.js';
import { readCookies } from './read-cookies.js';

/**
 * The cookies of connections that a browser began, one for each: a page that begins another one in it replaces none. The name
 * alone counts. It needs no secret: only a response of the authorization endpoint sets it, and everyone who begins a connection
 * gets it.
 */
export class ConnectionCookie {
  readonly #prefix: string;
  readonly #attributes: string;

  /** @param origin of the console: without TLS on http://localhost alone */
  constructor(origin: string) {
    const isSecure = origin.startsWith('https:');
    this.#prefix = isSecure ? '__Host-connection-' : 'connection-';
    this.#attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  }

  /** Returns the ids of the connections that the browser of a request began. */
  read(request: FastifyRequest): readonly string[] {
    const names = readCookies(request).map(([name]) => name);
    return names.filter((name) => name.startsWith(this.#prefix)).map((name) => name.slice(this.#prefix.length));
  }

  set(reply: FastifyReply, connectionId: string): void {
    const name = this.#prefix + connectionId;
    reply.header('set-cookie', `${name}=begun; Max-Age=${DECIDE_WITHIN_MS / 1_000}; ${this.#attributes}`);
  }
}
