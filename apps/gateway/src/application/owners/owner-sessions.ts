import { notFound } from '@agent-wallet/kernel';
import type { ListedOwnerSession } from '../../domain/owner-session.js';
import { ownerUnauthenticated } from '../../domain/unauthenticated.js';
import type { EndingSession, OwnerStore } from '../../ports/owner-store.js';

/**
 * Sessions of an owner: lists and ends them, at every replica at once. A session by mail ends sessions by mail alone, so
 * that the mailbox does not log the owner's passkeys out.
 */
export class OwnerSessions {
  constructor(private readonly owners: Pick<OwnerStore, 'list' | 'endById' | 'endOthers'>) {}

  list(ownerId: string, limit: number): Promise<ListedOwnerSession[]> {
    return this.owners.list(ownerId, limit);
  }

  /**
   * Ends one session, which may be the caller's.
   * @throws AppError NOT_FOUND for one of another owner, or one that has ended; AUTHENTICATION_ERROR for a session by
   * passkey when the caller's is by mail
   */
  async end(caller: EndingSession, sessionId: string): Promise<void> {
    const result = await this.owners.endById(caller, sessionId);
    if (result === 'unknown') throw notFound('session', 'List them again.');
    if (result === 'by_passkey') throw ownerUnauthenticated('passkey_required');
  }

  /** Ends the other sessions that the caller may end. @returns how many */
  endOthers(caller: EndingSession): Promise<number> {
    return this.owners.endOthers(caller);
  }
}
