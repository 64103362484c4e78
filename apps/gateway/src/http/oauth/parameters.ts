import { OAuthError } from '../../domain/oauth-error.js';
import { readContentType } from '../content-type.js';
import type { FastifyRequest } from '../fastify-types.js';

type Parameters = Readonly<Record<string, string | undefined>>;

const FORM = 'application/x-www-form-urlencoded';
const CONTROL = /\p{Cc}/u;
/** No parameter in use is longer but `state`, whose length is refused at the app's own address. */
const MAX_LENGTH = 2_000;

/** Reads the parameters of an address. @throws OAuthError */
export function readQuery({ url }: FastifyRequest): Parameters {
  const [, query = ''] = url.split(/\?(.*)/s);
  return read(query);
}

/** Reads the parameters of a form. @throws OAuthError */
export function readForm({ headers, body }: FastifyRequest): Parameters {
  if (readContentType(headers['content-type']).essence !== FORM) {
    throw new OAuthError('invalid_request', `The body must be ${FORM}.`);
  }
  return read((body as Buffer | undefined)?.toString() ?? '');
}

/** Reads parameters, each of which may stand once (RFC 6749, 3.1); an empty one is as one that is left out. */
function read(text: string): Parameters {
  const pairs = [...new URLSearchParams(text)];
  const names = pairs.map(([name]) => name);
  if (new Set(names).size < names.length) throw new OAuthError('invalid_request', 'A parameter must stand once.');
  if (pairs.some(([, value]) => CONTROL.test(value))) {
    throw new OAuthError('invalid_request', 'A parameter must not contain control characters.');
  }
  if (pairs.some(([name, value]) => name !== 'state' && value.length > MAX_LENGTH)) {
    throw new OAuthError('invalid_request', `A parameter must have at most ${MAX_LENGTH} characters.`);
  }
  return Object.fromEntries(pairs.filter(([, value]) => value !== ''));
}
