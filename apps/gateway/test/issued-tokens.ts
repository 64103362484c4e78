import type { Reply } from './client.js';

/** What a token says. */
export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()) as Record<string, unknown>;
}

/** The session of a token. */
export function jtiOf(token: string): string {
  return claimsOf(token)['jti'] as string;
}

/** The token in the response to a login or a refresh. */
export const successorOf = (answer: Reply): string => answer.body.data.sessionToken as string;
