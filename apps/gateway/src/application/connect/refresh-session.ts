import type { Clock } from '@agent-wallet/kernel';
import { unauthenticated } from '../../domain/unauthenticated.js';
import type { ClaimedSession } from '../../ports/rate-limiter.js';
import type { PolicyService } from '../../ports/services.js';
import type { SessionStore } from '../../ports/session-store.js';
import type { TokenSigner } from '../../ports/tokens.js';
import { type IssuedSession, issueSession, knownAgent } from './session.js';

/** What RefreshSession works with. */
export interface RefreshSessionDependencies {
  readonly sessions: SessionStore;
  readonly policy: Pick<PolicyService, 'policy'>;
  readonly tokens: TokenSigner;
  readonly clock: Clock;
}

/** Exchanges a session for a new one of full length; of two at once one gets it. */
export class RefreshSession {
  constructor(private readonly dependencies: RefreshSessionDependencies) {}

  /** @throws AppError AUTHENTICATION_ERROR when the session has ended meanwhile */
  async refresh({ agentId, sessionId }: ClaimedSession): Promise<IssuedSession> {
    const { sessions, policy, tokens, clock } = this.dependencies;
    const agent = await knownAgent(sessions, agentId);
    const { sessionExpirationHours } = await policy.policy(agentId);
    const issued = await issueSession(agent, sessionExpirationHours, { tokens, clock });
    if (!(await sessions.replace(sessionId, issued.session))) throw unauthenticated('revoked');
    return issued;
  }
}
