import { isTokenScope, type TokenScope } from '@agent-wallet/kernel';
import { createHash } from 'node:crypto';
import type { ScopedToken } from './session.js';

/** A request of an app for a scoped token, which an owner decides on (OAuth 2.1, authorization code with PKCE). */
export interface Connection {
  readonly id: string;
  readonly client: {
    /** URL of the app's own document. */
    readonly id: string;
    /** As the document says: not verified. */
    readonly name: string;
    readonly uri: string | undefined;
  };
  /** Address at which the app gets its code. */
  readonly redirectUri: string;
  readonly scopes: readonly TokenScope[];
  readonly state: string | undefined;
  /** SHA-256 of the app's verifier, base64url. */
  readonly codeChallenge: string;
  /** Unix milliseconds until which it can be decided; of a grant, the end of its token. */
  readonly expiresAtMs: number;
}

/** A connection that an owner granted. */
export interface Granted extends Connection {
  readonly agentId: string;
  /** The scoped token, with the scopes that the owner chose. */
  readonly token: ScopedToken;
  /** The session that its access tokens are of: it ends with the token. */
  readonly sessionId: string;
  /** Time of the owner's decision, in Unix milliseconds. */
  readonly grantedAtMs: number;
}

/** Time that an owner has to decide. */
export const DECIDE_WITHIN_MS = 600_000;
/** Time that an app has to redeem its code. */
export const REDEEM_WITHIN_MS = 60_000;
/** Lifetime of an access token: the app refreshes it for as long as the scoped token is live. */
export const ACCESS_TOKEN_MS = 3_600_000;
/**
 * Time after the first use of a refresh token in which it may be used again. Each use has a successor of its own, and every
 * successor is good: two windows of an app may refresh at once, and a response may be lost. A use after that is theft and ends the
 * grant with all its tokens.
 *
 * A copy is thus worth something in two cases. The thief uses it first: the app's own next use then ends the grant, unless it
 * follows within this time. Or the thief follows the app within this time. It looks like a second window then, and
 * keeps access until the grant ends, within the limits that its owner signed. After that a copy of a used token only
 * ends the grant. Each use is measured from the first, so that repeats extend nothing. Two minutes are more than HTTP
 * clients wait before they retry.
 */
export const REFRESH_AGAIN_MS = 120_000;

const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;
export const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** Reports whether a verifier is that of a challenge (RFC 7636, S256). */
export function verifies(verifier: string, challenge: string): boolean {
  return VERIFIER.test(verifier) && createHash('sha256').update(verifier).digest('base64url') === challenge;
}

/** Returns the known scopes of a `scope` parameter, each once (RFC 6749, 3.3). */
export function knownScopes(text = ''): readonly TokenScope[] {
  return [...new Set(text.split(' '))].filter(isTokenScope);
}

/**
 * Returns the address that sends a browser back to the app, with parameters of the response after its own query. The
 * redirect URI stays as the app spelled it: a parser would rewrite its host, path and query.
 */
export function redirection(
  { redirectUri, state }: Pick<Connection, 'redirectUri' | 'state'>,
  parameters: Readonly<Record<string, string>>,
): string {
  const pairs = Object.entries({ ...parameters, ...(state === undefined ? {} : { state }) });
  // Spaces as %20, which every decoder reads; some take a plus for itself.
  const query = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  const separator = redirectUri.includes('?') ? '&' : '?';
  return redirectUri + (/[?&]$/.test(redirectUri) ? '' : separator) + query;
}

const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
const LOOPBACK = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d+)?(?=[/?]|$)/i;

/**
 * Returns whether a program on the owner's own machine gets the code: any program there can listen at a loopback address or
 * register an app's scheme. The host is parsed, because `127.1` and `LOCALHOST` lead there, too.
 */
export function isOnThisMachine(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri);
  return protocol !== 'https:' || LOOPBACK_HOSTS.includes(hostname);
}

/** Returns who gets the code, as an owner reads it. Only an https address has a host that proves who it belongs to. */
export function receiverOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri);
  return protocol === 'https:' ? host : redirectUri;
}

/**
 * Returns whether a redirect URI is one of a client's document: byte for byte (RFC 9700, 4.1.3), except for the port of an app
 * that listens on its own machine (RFC 8252, 7.3).
 */
export function isRegistered(given: string, registered: readonly string[]): boolean {
  if (registered.includes(given)) return true;
  if (!LOOPBACK.test(given) || !URL.canParse(given)) return false;
  return registered.some((each) => LOOPBACK.test(each) && withoutPort(each) === withoutPort(given));
}

function withoutPort(uri: string): string {
  return uri.replace(LOOPBACK, '$1');
}
