import { z } from 'zod';
import { ClientRefused, type OAuthClient } from '../../ports/client-documents.js';

const MAX_URI_LENGTH = 500;
const MAX_REDIRECT_URIS = 20;
const MAX_NAME_LENGTH = 100;

/** Controls, invisible and bidirectional formats, halves of characters, and line ends: an owner reads the name. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/u;

/** Characters of URIs (RFC 3986). A URL parser would drop line ends and read a backslash as a slash. */
const URI_TEXT = /^[!-[\]-~]+$/;

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Private-use schemes: names with a dot, which an app takes from a domain of its own (RFC 8252, section 7.1), and those of
 * well-known editors. Any other scheme may have a meaning to a browser, as `javascript`, `data`, `blob` and `file` do.
 */
const APP_SCHEME = /^(?:[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+|cursor|vscode|vscode-insiders):$/;

function isRedirectUri(text: string): boolean {
  const url = parseUri(text);
  if (!url) return false;
  if (url.protocol === 'http:') return LOOPBACK_HOSTS.includes(url.hostname);
  return url.protocol === 'https:' || APP_SCHEME.test(url.protocol);
}

/** Parses an absolute URI without fragment and userinfo. */
function parseUri(text: string): URL | undefined {
  const url = URI_TEXT.test(text) && !text.includes('#') ? URL.parse(text) : null;
  return url && !url.username && !url.password ? url : undefined;
}

const REDIRECT_URI = z
  .string('must be text')
  .max(MAX_URI_LENGTH, `must have ${MAX_URI_LENGTH} characters at most`)
  .refine(isRedirectUri, 'must be a URL without fragment: https, http on loopback, or an app scheme with a dot');

const COUNT_OF_REDIRECT_URIS = `must be a list of 1 to ${MAX_REDIRECT_URIS} URLs`;

/** The metadata of a client, as its own document or the operator states it. */
export const CLIENT_METADATA = z
  .looseObject(
    {
      client_id: z.string('must be the URL of the document'),
      client_name: z
        .string('must be text')
        .max(MAX_NAME_LENGTH, `must have ${MAX_NAME_LENGTH} characters at most`)
        .refine((name) => name.trim() !== '', 'must not be empty')
        .refine((name) => !HIDDEN.test(name), 'must not contain control or invisible characters'),
      client_uri: z
        .string('must be text')
        .max(MAX_URI_LENGTH, `must have ${MAX_URI_LENGTH} characters at most`)
        .refine((text) => parseUri(text)?.protocol === 'https:', 'must be an https URL')
        .optional(),
      redirect_uris: z
        .array(REDIRECT_URI, COUNT_OF_REDIRECT_URIS)
        .min(1, COUNT_OF_REDIRECT_URIS)
        .max(MAX_REDIRECT_URIS, COUNT_OF_REDIRECT_URIS),
      token_endpoint_auth_method: z.string('must be text').optional(),
    },
    'must be a JSON object',
  )
  .refine(isPublicClient, {
    message: 'must be none, or a key in a document that offers none, too',
    path: ['token_endpoint_auth_method'],
  })
  // The document is public, and so is a secret in it.
  .refine((document) => !Object.entries(document).some(isSecret), 'must not have a secret');

/**
 * Returns whether a client can do without authentication, which is all that the token endpoint offers. One that prefers
 * a key may list `none` among its methods. One with a secret may not: the draft forbids shared secrets.
 */
function isPublicClient(document: Readonly<Record<string, unknown>>): boolean {
  const { token_endpoint_auth_method: method = 'none', token_endpoint_auth_methods_supported: others } = document;
  return method === 'none' || (method === 'private_key_jwt' && Array.isArray(others) && others.includes('none'));
}

/** Returns whether a field belongs to a secret. Registration endpoints write a secret that does not exist as 0 or null. */
function isSecret([name, value]: readonly [string, unknown]): boolean {
  return name.startsWith('client_secret') && value !== 0 && value !== null;
}

/** Reads the document of a client, whose keys and secrets are not used. @throws ClientRefused */
export function parseDocument(clientId: string, bytes: Buffer): OAuthClient {
  const result = CLIENT_METADATA.safeParse(jsonOf(bytes));
  if (!result.success) {
    const { path, message } = result.error.issues[0]!;
    throw new ClientRefused(`${['The document', ...path].join(': ')} ${message}.`);
  }
  const { data } = result;
  if (data.client_id !== clientId) throw new ClientRefused('The document: client_id must be the URL of the document.');
  return clientOf(data, false);
}

/** Returns the client that metadata describe. */
export function clientOf(metadata: z.output<typeof CLIENT_METADATA>, isRegistered: boolean): OAuthClient {
  const { client_id: id, client_name: name, client_uri: uri, redirect_uris: redirectUris } = metadata;
  return { id, name, uri, redirectUris, isRegistered };
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new ClientRefused('The document must be JSON in UTF-8.');
  }
}
