import type { FastifyRequest } from '../fastify-types.js';

/** Reads the cookies of a request, in its order. A name may occur several times: other hosts of the site set cookies, too. */
export function readCookies({ headers }: FastifyRequest): ReadonlyArray<readonly [name: string, value: string]> {
  const parts = (headers.cookie ?? '').split(';').map((part) => part.trim());
  return parts
    .filter((part) => part.includes('='))
    .map((part) => {
      const end = part.indexOf('=');
      return [part.slice(0, end), part.slice(end + 1)];
    });
}
