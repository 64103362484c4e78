import { type Clock, newId } from '@agent-wallet/kernel';
import type { Logger } from '@agent-wallet/platform';
import { sessionNetwork } from '../../domain/client-network.js';
import { isLostResponse, type Session, successorEndMs, wholeSeconds } from '../../domain/session.js';
import { unauthenticated } from '../../domain/unauthenticated.js';
import type { ClaimedSession } from '../../ports/rate-limiter.js';
import type { PolicyService } from '../../ports/services.js';
import type { Agent, SessionStore } from '../../ports/session-store.js';
import type { TokenSigner } from '../../ports/tokens.js';
import type { ReportEvictions } from './report-evictions.js';
import { HOUR_MS, type IssuedSession, issueToken, knownAgent } from './session.js';

/** Dependencies of RefreshSession. */
interface RefreshSessionDependencies {
  readonly sessions: Pick<SessionStore, 'agentById' | 'find' | 'replace' | 'endReused'>;
  readonly policy: Pick<PolicyService, 'policy'>;
  readonly evictions: Pick<ReportEvictions, 'report'>;
  readonly tokens: TokenSigner;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Time after the last code within which a session can be refreshed. */
  readonly maxAgeMs: number;
}

/** A request for a new token. */
interface Refresh extends ClaimedSession {
  /** Whether the session was still valid when the request came. */
  readonly isLive: boolean;
  /** The client's network. */
  readonly client: string;
}

/**
 * Exchanges a session for a new one. Of several requests at once one replaces it; the others get the same successor. So
 * does a client that lost the response. A replaced token that comes later was copied: its whole family ends, and what the
 * agent waits for becomes void.
 */
export class RefreshSession {
  constructor(private readonly dependencies: RefreshSessionDependencies) {}

  /** @throws AppError AUTHENTICATION_ERROR when the session has ended */
  async refresh(request: Refresh): Promise<IssuedSession> {
    const { agentId, sessionId, isLive } = request;
    const { sessions } = this.dependencies;
    const agent = await knownAgent(sessions, agentId);
    const old = await sessions.find(sessionId, agentId);
    if (!old) throw unauthenticated('revoked');
    const issued = isLive ? await this.#replace(agent, old, request.client) : undefined;
    return issued ?? this.#judge(agent, request);
  }

  /** Replaces a session; undefined when another request was first, or the session has ended meanwhile. */
  async #replace(agent: KnownAgent, old: Session, client: string): Promise<IssuedSession | undefined> {
    const { sessions, policy, tokens, clock, maxAgeMs } = this.dependencies;
    const { sessionExpirationHours } = await policy.policy(agent.id);
    const { agentId, familyId, authenticatedAtMs } = old;
    const createdAtMs = wholeSeconds(clock.nowMs());
    const session: Session = {
      id: newId(),
      agentId,
      familyId,
      authenticatedAtMs,
      createdAtMs,
      network: sessionNetwork(client),
      expiresAtMs: successorEndMs(old, createdAtMs, { lengthMs: sessionExpirationHours * HOUR_MS, maxAgeMs }),
    };
    const issued = await issueToken(agent, session, tokens);
    return (await sessions.replace(old.id, session)) ? issued : undefined;
  }

  async #judge(agent: KnownAgent, { sessionId, agentId, isLive }: Refresh): Promise<IssuedSession> {
    const { sessions, tokens, clock } = this.dependencies;
    const replaced = await sessions.find(sessionId, agentId);
    if (!replaced?.replacedBy) throw unauthenticated('revoked');
    const successor = await sessions.find(replaced.replacedBy, agentId);
    if (successor && isLostResponse(replaced, successor, clock.nowMs())) return issueToken(agent, successor, tokens);
    // A request that came before the replacement reveals no copy, however long it took.
    if (!isLive) await this.#endReused(sessionId, agentId);
    throw unauthenticated('revoked');
  }

  async #endReused(sessionId: string, agentId: string): Promise<void> {
    const { sessions, evictions, logger } = this.dependencies;
    const eviction = await sessions.endReused(sessionId, agentId);
    if (!eviction) return;
    logger.warn({ event: 'session.token_reused', agentId, sessionId }, 'Replaced token came again; its sessions ended');
    // The answer is a 401 in any case: what is left over is reported later.
    await evictions.report(eviction).catch((err: unknown) => {
      logger.warn({ event: 'session.eviction_delayed', agentId, err }, 'Policy not reached; eviction reported later');
    });
  }
}

type KnownAgent = Agent & { readonly address: string };
