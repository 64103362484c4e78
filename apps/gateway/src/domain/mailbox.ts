import type { Secret } from '@agent-wallet/kernel';
import { createHmac } from 'node:crypto';

/** Names of the one provider that ignores dots, and has two domains for each mailbox. */
const DOTLESS_DOMAINS = ['gmail.com', 'googlemail.com'];

/**
 * Returns the address without the tag that its local part may have: mail to `ann+a@example.com` and to
 * `ann+b@example.com` is delivered to one mailbox. Dots remain, except at Gmail: other providers tell them apart.
 */
export function foldMailbox(email: string): string {
  const at = email.lastIndexOf('@');
  const [local = ''] = email.slice(0, at).split('+', 1);
  const domain = email.slice(at + 1);
  return DOTLESS_DOMAINS.includes(domain) ? `${local.replaceAll('.', '')}@gmail.com` : `${local}@${domain}`;
}

/** Returns the name of an address's mailbox for services that must not see the address: a keyed hash of 32 bytes. */
export function mailboxIdOf(email: string, pepper: Secret<string>): Buffer {
  return createHmac('sha256', pepper.reveal())
    .update(`mailbox:${foldMailbox(email)}`)
    .digest();
}
