import { NoAnswerError } from './errors.js';

/** Failures to connect that rarely pass by themselves, by the code of Node.js. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host not found',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'no route to host',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
};
/** A certificate that is not trusted, or a server that does not speak TLS. */
const TLS_CODE = /^(?:ERR_SSL_|ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/** Returns the base of all paths. @throws TypeError for anything but an address of HTTP */
export function toBase(baseUrl: string): string {
  const { protocol } = URL.canParse(baseUrl) ? new URL(baseUrl) : { protocol: '' };
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new TypeError(`baseUrl must begin with https:// or http://, not '${baseUrl}'.`);
  }
  return baseUrl.replace(/\/+$/, '');
}

/** Returns the failure of a request that was not answered, with its host and its cause. */
export function noAnswer(request: string, base: string, cause: unknown): NoAnswerError {
  const root = rootOf(cause);
  const code = (root as { readonly code?: unknown } | undefined)?.code;
  const known = typeof code === 'string' ? UNREACHABLE[code] : undefined;
  const isUnreachable = known !== undefined || (typeof code === 'string' && TLS_CODE.test(code));
  const why = known ?? (root instanceof Error && root.message ? root.message : 'connection failed');
  return new NoAnswerError(`${request} got no answer from ${new URL(base).host}: ${why}`, { cause, isUnreachable });
}

/** Returns the innermost cause; of several addresses of one host, that of the first. */
function rootOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return rootOf(error.errors[0]);
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : error;
}
