import { AppError, type Clock, type Secret } from '@agent-wallet/kernel';
import { mailboxIdOf } from '../../domain/mailbox.js';
import { AGENT_LOGIN } from '../../domain/otp.js';
import { unauthenticated } from '../../domain/unauthenticated.js';
import type { PolicyService, WalletService } from '../../ports/services.js';
import type { ClaimedOtp } from '../../ports/otp-store.js';
import type { Agent, SessionStore } from '../../ports/session-store.js';
import type { TokenSigner } from '../../ports/tokens.js';
import { firstSession, type IssuedSession, issueToken } from './session.js';
import type { SentOtp, SpendOtp } from './spend-otp.js';

/** Dependencies of CompleteLogin. */
interface CompleteLoginDependencies {
  readonly codes: SpendOtp;
  readonly sessions: SessionStore;
  readonly wallet: Pick<WalletService, 'createWallet'>;
  readonly policy: Pick<PolicyService, 'createPolicy'>;
  readonly tokens: TokenSigner;
  readonly pepper: Secret<string>;
  readonly clock: Clock;
}

const ASK_OWNER = 'Ask the owner to set allowMailLogin. A token from before works until it expires.';

/**
 * Turns a login code into a session. A first login makes the agent, its wallet and its policy; each of these can be
 * repeated, and the code is used up only together with the session's row.
 */
export class CompleteLogin {
  constructor(private readonly dependencies: CompleteLoginDependencies) {}

  /**
   * @throws RateLimited, AppError AUTHENTICATION_ERROR, OWNER_REQUIRED where the policy forbids login by e-mail, or what the
   *   wallet and policy services throw
   */
  complete(sent: SentOtp): Promise<IssuedSession & { readonly isNewUser: boolean }> {
    return this.dependencies.codes.spend(sent, AGENT_LOGIN, (otp) => this.#login(otp));
  }

  async #login(otp: ClaimedOtp): Promise<IssuedSession & { isNewUser: boolean }> {
    const { sessions, policy, tokens, pepper, clock } = this.dependencies;
    const agent = await sessions.agentOfLogin(otp);
    const [address, { sessionExpirationHours, allowMailLogin }] = await Promise.all([
      this.#walletOf(agent),
      policy.createPolicy(agent.id, {
        namedOwnerId: agent.namedOwnerId,
        mailboxId: mailboxIdOf(otp.email, pepper),
      }),
    ]);
    if (!allowMailLogin) throw new AppError('OWNER_REQUIRED', { data: { suggestion: ASK_OWNER } });
    const login = { agentId: agent.id, hours: sessionExpirationHours, client: otp.client };
    const session = firstSession(login, clock.nowMs());
    const issued = await issueToken({ ...agent, address }, session, tokens);
    const opened = await sessions.openWithOtp(session, otp);
    if (!opened) throw unauthenticated('wrong_code');
    return { ...issued, isNewUser: opened.firstLogin };
  }

  async #walletOf(agent: Agent): Promise<string> {
    if (agent.address) return agent.address;
    const address = await this.dependencies.wallet.createWallet(agent.id);
    await this.dependencies.sessions.rememberAddress(agent.id, address);
    return address;
  }
}
