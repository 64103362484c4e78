import type { policyV1 } from '@agent-wallet/contracts';
import { AppError, type Clock, isTokenScope, newId, notFound, waitAtMost } from '@agent-wallet/kernel';
import { latestEndMs, type Session, wholeSeconds } from '../../domain/session.js';
import { unauthenticated } from '../../domain/unauthenticated.js';
import type { ClaimedSession } from '../../ports/rate-limiter.js';
import { type PolicyService, required } from '../../ports/services.js';
import type { SessionStore } from '../../ports/session-store.js';
import type { TokenSigner } from '../../ports/tokens.js';
import type { TokenKey, TokensService } from '../../ports/tokens-service.js';
import { HOUR_MS } from '../connect/session.js';
import type { ResolveOpenRequests } from '../operations/resolve-open-requests.js';

/** Longest wait until void operations are known as failed: the resolver comes for the rest. */
const RESOLVE_WITHIN_MS = 2_000;

/** Dependencies of ManageTokens. */
interface ManageTokensDependencies {
  readonly service: TokensService;
  readonly policy: Pick<PolicyService, 'policy'>;
  readonly sessions: Pick<SessionStore, 'find' | 'openToken' | 'endToken'>;
  readonly signer: TokenSigner;
  readonly requests: Pick<ResolveOpenRequests, 'resolveNow'>;
  readonly clock: Clock;
  /** Time after the last code up to which a session can open a token. */
  readonly maxAgeMs: number;
}

/** A new token, and its secret, which is shown once. */
interface OpenedToken {
  readonly token: policyV1.Token;
  readonly sessionToken: string;
}

/** Opens, lists and ends the scoped tokens of an agent. */
export class ManageTokens {
  constructor(private readonly dependencies: ManageTokensDependencies) {}

  /**
   * Opens a token at the wish of a session of the agent. A crash in between leaves a token whose secret is lost: it is
   * listed, and can be ended.
   * @param isEndChosen whether a later end than the session may give is an error; otherwise the token ends earlier
   * @throws AppError VALIDATION_ERROR, POLICY_VIOLATION when too many are live, AUTHENTICATION_ERROR when the session has ended
   */
  async open(
    { agentId, sessionId }: ClaimedSession,
    grant: policyV1.TokenGrant,
    { isEndChosen }: { readonly isEndChosen: boolean },
  ): Promise<OpenedToken> {
    const { service, sessions, signer } = this.dependencies;
    const opener = await sessions.find(sessionId, agentId);
    if (!opener) throw unauthenticated('revoked');
    const latestMs = await this.#latestEndMs(opener);
    if (isEndChosen) this.#refuseLater(Number(grant.expiresAtMs), latestMs);
    const expiresAtMs = wholeSeconds(Math.min(Number(grant.expiresAtMs), latestMs));
    const key = { agentId, tokenId: newId() };
    const token = await service.open(key, { ...grant, expiresAtMs: BigInt(expiresAtMs) });
    const { familyId, authenticatedAtMs } = opener;
    const session = this.#sessionOf(agentId, token, { familyId, authenticatedAtMs });
    const sessionToken = await signer.sign(session);
    if (await sessions.openToken(session, opener)) return { token, sessionToken };
    await service.end(key);
    throw unauthenticated('revoked');
  }

  /** Returns the latest end of what a session opens: the policy bounds it as it bounds sessions, and so does the session's code. */
  async #latestEndMs(opener: Session): Promise<number> {
    const { policy, clock, maxAgeMs } = this.dependencies;
    const { sessionExpirationHours } = await policy.policy(opener.agentId);
    return Math.min(clock.nowMs() + sessionExpirationHours * HOUR_MS, latestEndMs(opener, maxAgeMs));
  }

  /** @throws AppError VALIDATION_ERROR */
  #refuseLater(expiresAtMs: number, latestMs: number): void {
    if (expiresAtMs <= latestMs) return;
    const hours = Math.floor((latestMs - this.dependencies.clock.nowMs()) / HOUR_MS);
    const reason = `must be at most ${hours}, as sessions of this agent live. Choose fewer hours, or ask the owner for the token`;
    throw AppError.field('expiresInHours', reason, 'out_of_range');
  }

  /**
   * Returns the secret of a token that its owner has signed. Another call makes another one, for the same limits.
   * @throws AppError NOT_FOUND for a token that is not live
   */
  async issue({ agentId, tokenId }: TokenKey): Promise<string> {
    const { service, sessions, signer, clock } = this.dependencies;
    const token = (await service.list(agentId)).find((each) => each.tokenId === tokenId);
    if (!token) throw notFound('token', 'List the tokens again.');
    const authenticatedAtMs = wholeSeconds(clock.nowMs());
    const session = this.#sessionOf(agentId, token, { familyId: newId(), authenticatedAtMs });
    const sessionToken = await signer.sign(session);
    await sessions.openToken(session);
    return sessionToken;
  }

  #sessionOf(agentId: string, token: policyV1.Token, login: Pick<Session, 'familyId' | 'authenticatedAtMs'>): Session {
    const { scopes, expiresAtMs } = required(token.grant, 'grant');
    return {
      ...login,
      id: newId(),
      agentId,
      createdAtMs: wholeSeconds(this.dependencies.clock.nowMs()),
      expiresAtMs: wholeSeconds(Number(expiresAtMs)),
      token: { id: token.tokenId, scopes: scopes.filter(isTokenScope) },
    };
  }

  list(agentId: string): Promise<policyV1.Token[]> {
    return this.dependencies.service.list(agentId);
  }

  /**
   * Ends a token: no replica accepts it from then on, and its operations that waited for an owner are void. What a crash or an
   * outage of policy leaves is still listed, and can be ended again.
   * @throws AppError NOT_FOUND
   */
  async end(key: TokenKey): Promise<void> {
    const { service, sessions, requests } = this.dependencies;
    await sessions.endToken(key.tokenId, key.agentId);
    const voided = await service.end(key);
    await waitAtMost(RESOLVE_WITHIN_MS, requests.resolveNow(key.agentId, voided));
  }
}
