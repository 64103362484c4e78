import { Secret } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { foldMailbox, mailboxIdOf } from './mailbox.js';

describe('a mailbox', () => {
  it.each([
    ['ann@example.com', 'ann@example.com'],
    ['ann+a@example.com', 'ann@example.com'],
    ['ann+a+b@example.com', 'ann@example.com'],
    ['ann+@example.com', 'ann@example.com'],
    ['a.nn+x@example.com', 'a.nn@example.com'],
    ['ann@ex+ample.com', 'ann@ex+ample.com'],
    ['a.n.n+x@gmail.com', 'ann@gmail.com'],
    ['an.n@googlemail.com', 'ann@gmail.com'],
    ['an.n@mail.gmail.com', 'an.n@mail.gmail.com'],
  ])('of %s is %s', (email, mailbox) => {
    expect(foldMailbox(email)).toBe(mailbox);
  });

  it('has one name with and without a tag, which takes the pepper to compute', () => {
    const pepper = new Secret('a pepper of sufficient length');
    const id = mailboxIdOf('ann+a@example.com', pepper);
    expect(id).toHaveLength(32);
    expect(mailboxIdOf('ann@example.com', pepper)).toEqual(id);
    expect(mailboxIdOf('a.nn@example.com', pepper)).not.toEqual(id);
    expect(mailboxIdOf('ann@example.org', pepper)).not.toEqual(id);
    expect(mailboxIdOf('ann@example.com', new Secret('another pepper of such length'))).not.toEqual(id);
  });
});
