import { z } from 'zod';
import { count, seconds, unixSeconds } from './units.js';

/** Version of the API: in openapi.json, at `/`, and in the header `Api-Version`. */
export const API_VERSION = '1';

/** A header of responses as openapi.json describes it. */
interface HeaderContract {
  readonly description: string;
  readonly schema: z.ZodType;
}

/** Every header that responses carry and a client may read; security headers are none of them. */
export const HEADERS = {
  'Api-Version': {
    description: 'Version of the API. A client that was written for it keeps working with it.',
    schema: z.string(),
  },
  'X-Request-Id': {
    description: 'Names this HTTP request; give it to the operator with a question.',
    schema: z.string(),
  },
  'X-RateLimit-Limit': { description: 'Requests that pass in one window.', schema: count() },
  'X-RateLimit-Remaining': { description: 'Requests left in this window.', schema: count() },
  'X-RateLimit-Reset': { description: 'When the window ends.', schema: unixSeconds() },
  'RateLimit-Policy': {
    description: 'The limit, as the IETF’s draft writes it: `q` in `w` seconds.',
    schema: z.string(),
  },
  RateLimit: { description: 'What is left of it: `r`, for `t` seconds more.', schema: z.string() },
  'Idempotency-Status': {
    description: 'On financial POSTs with a key. `cached`: the response of an earlier request with the same key.',
    schema: z.enum(['fresh', 'cached']),
  },
  'Retry-After': { description: 'With 409, 429 and 503: how long to wait before the next attempt.', schema: seconds() },
  'WWW-Authenticate': { description: 'With 401: how to authenticate.', schema: z.literal('Bearer') },
  Allow: { description: 'With 405: the methods of the route.', schema: z.string() },
  'Cache-Control': { description: 'How long the document may be kept.', schema: z.string() },
  'Next-Cursor': {
    description: 'Of a download that was cut: the `cursor` of the rest.',
    schema: z.string(),
  },
  ETag: {
    description: 'Names this version: send it as `If-None-Match` of a document, as `If-Match` of a change.',
    schema: z.string(),
  },
  Vary: { description: '`Accept-Encoding`: a cache keeps one version for each.', schema: z.string() },
} as const satisfies Readonly<Record<string, HeaderContract>>;

export type HeaderName = keyof typeof HEADERS;

/** Headers of every response, and those of responses to requests that count against a rate limit. */
export const ALWAYS: readonly HeaderName[] = ['X-Request-Id', 'Api-Version'];
export const COUNTED: readonly HeaderName[] = [
  ...(['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const),
  ...(['RateLimit-Policy', 'RateLimit'] as const),
];

/** Further headers of failures. */
export const OF_FAILURES: readonly HeaderName[] = ['Idempotency-Status', 'Retry-After', 'WWW-Authenticate', 'Allow'];
