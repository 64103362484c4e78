import type { Secret } from '@agent-wallet/kernel';
import { createHmac } from 'node:crypto';

/**
 * Returns the address without the tag that its local part may have: mail to `ann+a@example.com` and to
 * `ann+b@example.com` is delivered to one mailbox. Dots remain: most providers tell them apart.
 */
export function foldMailbox(email: string): string {
  const at = email.lastIndexOf('@');
  const tag = email.indexOf('+');
  return tag === -1 || tag > at ? email : email.slice(0, tag) + email.slice(at);
}

/** Returns the name of an address's mailbox for services that must not see the address: a keyed hash of 32 bytes. */
export function mailboxIdOf(email: string, pepper: Secret<string>): Buffer {
  return createHmac('sha256', pepper.reveal())
    .update(`mailbox:${foldMailbox(email)}`)
    .digest();
}
