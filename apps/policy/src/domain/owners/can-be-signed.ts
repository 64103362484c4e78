import type { Approval } from './approval.js';
import { termsOf } from './document.js';

/**
 * Returns whether an owner's signature has an effect: on what is pending, on a recovery that is not in effect yet, and on what
 * asks this very person to join.
 */
export function canBeSigned({ kind, state, document }: Approval, ownerId: string): boolean {
  if (state === 'pending') return true;
  if (state !== 'approved') return false;
  return kind === 'recovery' || (kind === 'member' && termsOf('member', document).member === ownerId);
}
