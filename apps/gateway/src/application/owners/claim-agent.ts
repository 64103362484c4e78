import type { policyV1 } from '@agent-wallet/contracts';
import { AppError, type Clock, notFound } from '@agent-wallet/kernel';
import { isMailFresh, type OwnerSession } from '../../domain/owner-session.js';
import { CLAIM_CANCELLATION } from '../../domain/otp.js';
import { unauthenticated } from '../../domain/unauthenticated.js';
import type { OtpStore } from '../../ports/otp-store.js';
import type { OwnersService } from '../../ports/owners-service.js';
import type { WalletService } from '../../ports/services.js';
import type { SessionStore } from '../../ports/session-store.js';
import type { SentOtp, SpendOtp } from '../connect/spend-otp.js';
import type { StartedLogin, StartLogin } from '../connect/start-login.js';

/** A claim of an agent, by its address. */
interface Claim {
  readonly agentEmail: string;
  /** The code mailed to the agent's address; undefined for the owner's own address, freshly proven. */
  readonly otp: { readonly otpId: string; readonly code: string } | undefined;
  readonly keepsSessions: boolean;
}

/** Dependencies of claims. */
interface ClaimDependencies {
  readonly codes: SpendOtp;
  readonly mailing: StartLogin;
  readonly otps: Pick<OtpStore, 'use'>;
  readonly sessions: Pick<SessionStore, 'findByEmail'>;
  readonly service: Pick<OwnersService, 'request' | 'cancelClaims'>;
  readonly wallet: Pick<WalletService, 'balances'>;
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
   * Cancels every claim of an agent that is not in effect yet, by a code mailed to the agent's address.
   * @returns how many. @throws RateLimited, AppError AUTHENTICATION_ERROR, also for an address without an agent
   */
  cancel(sent: SentOtp): Promise<number> {
    const { codes, otps, sessions, service } = this.dependencies;
    return codes.spend(sent, CLAIM_CANCELLATION, async ({ otpId, claimId }) => {
      const agent = await sessions.findByEmail(sent.email);
      if (!agent) throw unauthenticated('wrong_code');
      const cancelled = await service.cancelClaims(agent.id);
      if (!(await otps.use(otpId, claimId))) throw unauthenticated('wrong_code');
      return cancelled;
    });
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
    return this.dependencies.codes.spend(sent, use, async ({ otpId, claimId }) => {
      const approval = await this.#request(owner.id, claim);
      if (!(await this.dependencies.otps.use(otpId, claimId))) throw unauthenticated('wrong_code');
      return approval;
    });
  }

  async #request(ownerId: string, { agentEmail, keepsSessions }: Claim): Promise<policyV1.Approval> {
    const agent = await this.dependencies.sessions.findByEmail(agentEmail);
    if (!agent?.address) throw notFound('agent', 'An agent exists from its first login on.');
    const holdsNothing = await this.#holdsNothing(agent.id);
    const { id: agentId, address: wallet, email } = agent;
    const value = { agentId, ownerId, keepSessions: keepsSessions, holdsNothing, wallet, email };
    return this.dependencies.service.request({ $case: 'claim', value });
  }

  /** Reports whether a wallet is seen to hold nothing; a wallet that cannot be read may hold something. */
  async #holdsNothing(agentId: string): Promise<boolean> {
    const balances = await this.dependencies.wallet.balances(agentId).catch(() => undefined);
    return balances !== undefined && [balances.sol, ...balances.tokens].every((held) => (held?.amount ?? 0n) === 0n);
  }
}

function codeRequired(): AppError {
  return AppError.field('otpCode', 'is required. Ask for it with POST /owner/claims/start.', 'required');
}
