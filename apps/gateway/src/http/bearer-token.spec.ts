import { describe, expect, it } from '@jest/globals';
import { VerifiedTokens } from './bearer-token.js';

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
