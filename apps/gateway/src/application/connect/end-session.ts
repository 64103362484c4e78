import { notFound } from '@agent-wallet/kernel';
import { mayEnd } from '../../domain/session.js';
import { unauthenticated } from '../../domain/unauthenticated.js';
import type { ClaimedSession } from '../../ports/rate-limiter.js';
import type { SessionStore } from '../../ports/session-store.js';
import type { TokensService } from '../../ports/tokens-service.js';

/** Ends one session of the caller's agent, at every replica at once. */
export class EndSession {
  constructor(
    private readonly sessions: Pick<SessionStore, 'find' | 'end' | 'tokensOf'>,
    private readonly tokens: Pick<TokensService, 'end'>,
  ) {}

  /**
   * Ends a session, and the scoped tokens that its login has made. One that was refreshed meanwhile ends with its successor.
   * @throws AppError NOT_FOUND for one of another agent, or one that has ended; AUTHENTICATION_ERROR when its last code is
   * later than the caller's
   */
  async end({ agentId, sessionId }: ClaimedSession, endedId: string): Promise<void> {
    const caller = await this.sessions.find(sessionId, agentId);
    if (!caller) throw unauthenticated('revoked');
    const ended = await this.sessions.find(endedId, agentId);
    if (!ended) throw notFound('session', 'List them again.');
    if (!mayEnd(caller, ended)) throw unauthenticated('login_too_old');
    for (const tokenId of await this.sessions.tokensOf(ended)) await this.tokens.end({ agentId, tokenId });
    if (!(await this.sessions.end(endedId, agentId))) throw notFound('session', 'List them again.');
  }
}
