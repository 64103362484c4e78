import { describe, expect, it } from '@jest/globals';
import { mayEnd, passkeyNumber } from './owner-sessions.js';

const [mail, passkey] = (['mail', 'passkey'] as const).map((authenticatedBy) => ({ authenticatedBy, current: false }));

describe('a session of an owner', () => {
  it('by passkey ends every other one, by mail those by mail, and none ends itself here', () => {
    expect([mayEnd(passkey, mail!), mayEnd(passkey, passkey!)]).toEqual([true, true]);
    expect([mayEnd(mail, mail!), mayEnd(mail, passkey!)]).toEqual([true, false]);
    expect(mayEnd(passkey, { ...passkey!, current: true })).toBe(false);
    expect(mayEnd(undefined, mail!)).toBe(false);
  });
});

describe('the number of a passkey', () => {
  it('follows the order in which they were added, as on their page', () => {
    const passkeys = [
      { id: 'second', addedAt: '2026-11-27T10:00:00.000Z' },
      { id: 'first', addedAt: '2026-11-26T10:00:00.000Z' },
    ];
    expect(['first', 'second', 'removed', null].map((id) => passkeyNumber(passkeys, id))).toEqual([
      ...[1, 2, undefined, undefined],
    ]);
  });
});
