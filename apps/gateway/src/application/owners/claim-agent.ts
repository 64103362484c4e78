import type { policyV1 } from '@agent-wallet/contracts';
import { AppError, type Clock, notFound } from '@agent-wallet/kernel';
import { isMailFresh, type OwnerSession } from '../../domain/owner-session.js';
import { unauthenticated } from '../../domain/unauthenticated.js';
import type { OtpStore } from '../../ports/otp-store.js';
import type { OwnersService } from '../../ports/owners-service.js';
import type { SessionStore } from '../../ports/session-store.js';
import type { SpendOtp } from '../connect/spend-otp.js';
import type { StartedLogin, StartLogin } from '../connect/start-login.js';

/** A claim of an agent, by its address. */
export interface Claim {
  readonly agentEmail: string;
  /** The code mailed to the agent's address; undefined for the owner's own address, freshly proven. */
  readonly otp: { readonly otpId: string; readonly code: string } | undefined;
  readonly keepsSessions: boolean;
}

/** Dependencies of claims. */
export interface ClaimDependencies {
  readonly codes: SpendOtp;
  readonly mailing: StartLogin;
  readonly otps: Pick<OtpStore, 'use'>;
  readonly sessions: Pick<SessionStore, 'findByEmail'>;
  readonly service: Pick<OwnersService, 'request'>;
  readonly clock: Clock;
}

/** Claims an agent for an owner who reads the agent's mail. A token of the agent does not count: it may be stolen. */
export class ClaimAgent {
  constructor(private readonly dependencies: ClaimDependencies) {}

  /** Mails a code to the agent's address, whether or not it is known. @throws RateLimited, AppError UPSTREAM_ERROR */
  start({ owner }: OwnerSession, agentEmail: string, client: string): Promise<StartedLogin> {
    const use = { purpose: 'claim', ownerId: owner.id, ownerEmail: owner.email } as const;
    return this.dependencies.mailing.start(agentEmail, client, use);
  }

  /**
   * Requests the approval that the owner signs.
   * @throws RateLimited, AppError AUTHENTICATION_ERROR, NOT_FOUND, APPROVAL_CLOSED, POLICY_VIOLATION
   */
  async request(session: OwnerSession, claim: Claim, client: string): Promise<policyV1.Approval> {
    const { owner } = session;
    const { agentEmail, otp } = claim;
    if (!otp) {
      if (agentEmail !== owner.email || !isMailFresh(session, this.dependencies.clock.nowMs())) throw codeRequired();
      return this.#request(owner.id, claim);
    }
    const sent = { email: agentEmail, ...otp, client };
    const use = { purpose: 'claim', ownerId: owner.id, ownerEmail: owner.email } as const;
    return this.dependencies.codes.spend(sent, use, async (claimId) => {
      const approval = await this.#request(owner.id, claim);
      if (!(await this.dependencies.otps.use(otp.otpId, claimId))) throw unauthenticated('wrong_code');
      return approval;
    });
  }

  async #request(ownerId: string, { agentEmail, keepsSessions }: Claim): Promise<policyV1.Approval> {
    const agent = await this.dependencies.sessions.findByEmail(agentEmail);
    if (!agent) throw notFound('agent', 'An agent exists from its first login on.');
    const value = { agentId: agent.id, ownerId, keepSessions: keepsSessions };
    return this.dependencies.service.request({ $case: 'claim', value });
  }
}

function codeRequired(): AppError {
  return AppError.field('otpCode', 'is required. Ask for it with POST /owner/claims/start.', 'required');
}
