import { describe, expect, it } from '@jest/globals';
import { malformation, VerifiedTokens } from './bearer-token.js';
import type { FastifyRequest } from './fastify-types.js';

const verified = { sessionId: 'session' };

describe('tokens that were verified', () => {
  it('are found by a key that covers the whole token', () => {
    const tokens = new VerifiedTokens<typeof verified>();
    tokens.keep('header.payload.signature', verified);
    expect(tokens.find('header.payload.signature')).toBe(verified);
    expect(tokens.find('header.payload.signaturf')).toBeUndefined();
  });

  it('are forgotten, the oldest first, when there are too many', () => {
    const tokens = new VerifiedTokens<typeof verified>(2);
    for (const token of ['a', 'b', 'c']) tokens.keep(token, verified);
    expect(['a', 'b', 'c'].map((token) => tokens.find(token) !== undefined)).toEqual([false, true, true]);
  });
});

describe('an Authorization header without a token that can be read', () => {
  it.each([
    [['eyJh.eyJz.c2ln'], /lacks `Bearer` before the token\. Send `Authorization: Bearer <token>`\.$/],
    [['Bearer'], /has no token after `Bearer`\. Send /],
    [
      ['Bearer abc'],
      /is incomplete or not a token of this service\. Send the whole `sessionToken`, or log in again\.$/,
    ],
    [['Basic YWdlbnQ6'], /is not `Bearer <token>`\. Send /],
    [['Bearer a.b.c', 'Bearer a.b.c'], /is there 2 times\. Send it once\.$/],
  ])('%j says what is wrong with it', (authorization, message) => {
    const request = { raw: { headersDistinct: { authorization } } } as unknown as FastifyRequest;
    expect(malformation(request)).toMatch(message);
  });
});
