import { type Clock, newId, type Secret, sleep } from '@agent-wallet/kernel';
import { hashOtp } from '../../domain/otp.js';
import { RateLimited } from '../../domain/rate-limits.js';
import { unauthenticated } from '../../domain/unauthenticated.js';
import type { OtpStore } from '../../ports/otp-store.js';
import type { PolicyService, WalletService } from '../../ports/services.js';
import type { Agent, SessionStore } from '../../ports/session-store.js';
import type { TokenSigner } from '../../ports/tokens.js';
import { type IssuedSession, issueSession } from './session.js';

/** What CompleteLogin works with. */
export interface CompleteLoginDependencies {
  readonly otps: OtpStore;
  readonly sessions: SessionStore;
  readonly wallet: Pick<WalletService, 'createWallet'>;
  readonly policy: Pick<PolicyService, 'createPolicy'>;
  readonly tokens: TokenSigner;
  readonly pepper: Secret<string>;
  readonly clock: Clock;
}

/** A login that is to be completed. */
export interface LoginAttempt {
  readonly email: string;
  readonly otpId: string;
  readonly code: string;
  /** The client's network. */
  readonly client: string;
}

/** Longer than everything a login does can take, so that a claim outlives no living login. */
const CLAIM_LAPSES_IN_MS = 12_000;
const WAIT_FOR_OTHER_MS = 13_000;
const POLL_MS = 100;

/**
 * Turns a login code into a session. A first login makes the agent, its wallet and its policy; each of these can be
 * repeated, and the code is used up only together with the session's row: a crash on the way leaves a code that works.
 * A claim separates two logins with one code: the second waits until the first has either used the code, and
 * is refused, or let go of it.
 */
export class CompleteLogin {
  constructor(private readonly dependencies: CompleteLoginDependencies) {}

  /** @throws RateLimited, AppError AUTHENTICATION_ERROR, or what the wallet and policy services throw */
  async complete(attempt: LoginAttempt): Promise<IssuedSession & { readonly isNewUser: boolean }> {
    await this.#check(attempt);
    const claimId = await this.#claim(attempt.otpId);
    try {
      return await this.#login(attempt, claimId);
    } catch (error) {
      await this.dependencies.otps.release(attempt.otpId, claimId).catch(() => undefined); // else it lapses by itself
      throw error;
    }
  }

  async #check({ code, ...attempt }: LoginAttempt): Promise<void> {
    const codeHash = hashOtp(this.dependencies.pepper, attempt.otpId, code);
    const found = await this.dependencies.otps.guess({ ...attempt, codeHash });
    if (found.verdict === 'spent') throw new RateLimited(found.limit, found.window, this.dependencies.clock.nowMs());
    if (found.verdict === 'wrong') throw unauthenticated('wrong_code');
  }

  async #claim(otpId: string): Promise<string> {
    const claimId = newId();
    const waitUntilMs = performance.now() + WAIT_FOR_OTHER_MS;
    for (;;) {
      const claimed = await this.dependencies.otps.claim(otpId, claimId, CLAIM_LAPSES_IN_MS);
      if (claimed === 'claimed') return claimId;
      if (claimed === 'used' || performance.now() > waitUntilMs) {
        throw unauthenticated('wrong_code');
      }
      await sleep(POLL_MS);
    }
  }

  async #login(attempt: LoginAttempt, claimId: string): Promise<IssuedSession & { isNewUser: boolean }> {
    const { sessions, policy, tokens, clock } = this.dependencies;
    const agent = await sessions.agentByEmail(attempt.email);
    const [address, { sessionExpirationHours }] = await Promise.all([
      this.#walletOf(agent),
      policy.createPolicy(agent.id),
    ]);
    const issued = await issueSession({ ...agent, address }, sessionExpirationHours, { tokens, clock });
    const { otpId, email, client } = attempt;
    const opened = await sessions.openWithOtp(issued.session, { otpId, claimId, email, client });
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
