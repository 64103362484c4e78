import { AppError, type Clock } from '@agent-wallet/kernel';
import type { ClaimedSession } from '../../ports/rate-limiter.js';
import type { PolicyService } from '../../ports/policy-service.js';
import type { SessionStore } from '../../ports/session-store.js';
import type { TokenSigner } from '../../ports/token-signer.js';
import { type IssuedSession, issueSession } from './issued-session.js';
import { knownAgent } from './known-agent.js';

/** What RefreshSession works with. */
export interface RefreshSessionParts {
  readonly sessions: SessionStore;
  readonly policy: Pick<PolicyService, 'policy'>;
  readonly tokens: TokenSigner;
  readonly clock: Clock;
}

/** Exchanges a session for a new one of full length; of two at once one gets it. */
export class RefreshSession {
  constructor(private readonly parts: RefreshSessionParts) {}

  /** @throws AppError AUTHENTICATION_ERROR when the session has ended meanwhile */
  async refresh({ agentId, sessionId }: ClaimedSession): Promise<IssuedSession> {
    const { sessions, policy, tokens, clock } = this.parts;
    const agent = await knownAgent(sessions, agentId);
    const { sessionExpirationHours } = await policy.policy(agentId);
    const issued = await issueSession(agent, sessionExpirationHours, { tokens, clock });
    if (!(await sessions.replace(sessionId, issued.session))) throw new AppError('AUTHENTICATION_ERROR');
    return issued;
  }
}
