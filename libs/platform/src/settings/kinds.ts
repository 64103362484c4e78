import { Secret, SOLANA_NETWORKS } from '@agent-wallet/kernel';
import { isIP } from 'node:net';
import { z } from 'zod';
import type { PostgresConnection } from './postgres-connection.js';

/** The kinds of settings that several services have. */
export const setting = {
  /** An integer within bounds. */
  integer: (bounds: { min: number; max: number }) =>
    z
      .string()
      .regex(/^-?\d{1,15}$/, 'must be an integer')
      .transform(Number)
      .refine((n) => n >= bounds.min && n <= bounds.max, `must be between ${bounds.min} and ${bounds.max}`),
  /** `true` or `false`. */
  flag: () => z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true'),
  /** An http(s) or other URL with one of the given protocols. */
  url: (...protocols: [string, ...string[]]) =>
    z.string().refine((text) => hasProtocol(text, protocols), mustBeUrl(protocols, 'a URL')),
  /** Different URLs, separated by commas. */
  urls: (...protocols: [string, ...string[]]) =>
    z
      .string()
      .transform((text) => text.split(',').map((each) => each.trim()))
      .refine((urls) => urls.every((text) => hasProtocol(text, protocols)), mustBeUrl(protocols, 'a list of URLs'))
      .refine((urls) => new Set(urls).size === urls.length, 'must not name a URL twice'),
  /** The network of Solana that the service runs on. */
  network: () => z.enum(SOLANA_NETWORKS, `must be one of ${SOLANA_NETWORKS.join(', ')}`),
  /** `host:port` of a gRPC peer or listener. */
  address: () => z.string().regex(/^[^\s/]+:\d{1,5}$/, 'must be host:port'),
  /** A path to a file or folder. */
  path: () => z.string(),
  /** The origin of a page that uses passkeys, as browsers send it. */
  origin: () =>
    z.string().superRefine((text, context) => {
      const message = originProblem(text);
      if (message) context.addIssue({ code: 'custom', message });
    }),
  /** Any text. */
  text: () => z.string(),
  /** A text that must never be printed. */
  secret: () => z.string().transform((text) => new Secret(text)),
  /** A postgres:// URL, taken apart so that no library reads it in its own way. */
  postgres: () =>
    z.string().transform((text, context): PostgresConnection => {
      const url = URL.parse(text);
      if (!url || !/^postgres(ql)?:$/.test(url.protocol) || url.pathname.length < 2 || !url.username) {
        context.addIssue({ code: 'custom', message: 'must be postgres://user:password@host:port/database' });
        return z.NEVER;
      }
      return {
        host: url.hostname,
        port: Number(url.port || 5432),
        user: decodeURIComponent(url.username),
        password: new Secret(decodeURIComponent(url.password)),
        database: decodeURIComponent(url.pathname.slice(1)),
        tls: url.searchParams.get('sslmode') === 'verify-full',
      };
    }),
} as const;

function hasProtocol(text: string, protocols: readonly string[]): boolean {
  const url = URL.parse(text);
  return url !== null && protocols.includes(url.protocol.replace(':', ''));
}

function mustBeUrl(protocols: readonly string[], what: string): string {
  return `must be ${what} starting with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`;
}

/** Returns the reason why a text cannot be the origin of a page that uses passkeys; undefined when it can. */
function originProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || url.origin !== text) return 'must be an origin without a path, such as https://owner.example.com';
  if (isIP(url.hostname.replaceAll(/^\[|\]$/g, '')) !== 0) return 'must have a host name: passkeys need a domain';
  if (url.protocol === 'https:' || (url.protocol === 'http:' && url.hostname === 'localhost')) return undefined;
  return 'must start with https://, or be http://localhost';
}
