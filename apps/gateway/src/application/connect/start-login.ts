import { type Clock, newId, type Secret } from '@agent-wallet/kernel';
import type { Logger } from '@agent-wallet/platform';
import { AGENT_LOGIN, budgetOf, type CodeUse, hashOtp, LIVE_OTPS, makeOtp, OTP_LIFETIME_MS } from '../../domain/otp.js';
import { RateLimited } from '../../domain/rate-limits.js';
import { type Mailer, MailNotAccepted } from '../../ports/mailer.js';
import type { MailQueue } from '../../ports/mail-queue.js';
import type { OtpStore } from '../../ports/otp-store.js';
import { FIRST_RETRY_MS } from './mail-queued-otps.js';

/** Dependencies of StartLogin. */
export interface StartLoginDependencies {
  readonly otps: OtpStore;
  readonly queue: Pick<MailQueue, 'add'>;
  readonly mailer: Mailer;
  readonly pepper: Secret<string>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A code that was mailed, or will be. */
export interface StartedLogin {
  readonly otpId: string;
  /** Unix milliseconds. */
  readonly expiresAtMs: number;
  /** Whether the mail server did not accept the code yet: it is mailed later. */
  readonly isQueued: boolean;
}

/** Mails a code. Whether the address is known makes no difference to anything that can be seen. */
export class StartLogin {
  constructor(private readonly dependencies: StartLoginDependencies) {}

  /**
   * @param client the client's network
   * @throws RateLimited, AppError UPSTREAM_ERROR when the mail server rejects the mail, or too many wait for it
   */
  async start(email: string, client: string, use: CodeUse = AGENT_LOGIN): Promise<StartedLogin> {
    const { otps, mailer, pepper, clock } = this.dependencies;
    const budget = budgetOf(email, use.purpose);
    const { allowed, window } = await otps.takeRequest(budget, client);
    if (!allowed) throw new RateLimited('email', window, clock.nowMs());
    const code = makeOtp();
    const otpId = newId();
    const expiresAtMs = clock.nowMs() + OTP_LIFETIME_MS;
    const { purpose } = use;
    const ownerEmail = use.purpose === 'login' ? use.ownerEmail : undefined;
    const codeHash = hashOtp(pepper, use, { otpId, code });
    await otps.add({ otpId, email, purpose, ownerEmail, codeHash, expiresAtMs });
    try {
      await mailer.sendOtp({ to: email, code, validMinutes: OTP_LIFETIME_MS / 60_000, use });
    } catch (error) {
      if (await this.#queue(otpId, use, error)) return { otpId, expiresAtMs, isQueued: true };
      await otps.remove(otpId);
      // A mail server that is down locks out no owner. Repeated requests still count against the client's address.
      await otps.returnRequest(budget, client, window);
      throw error;
    }
    // Only now: a mail that fails must not cost a code that works.
    await otps.keepNewest(email, purpose, LIVE_OTPS);
    return { otpId, expiresAtMs, isQueued: false };
  }

  /** Leaves a code to `MailQueuedOtps`. False when no later try can help, or the queue is full. */
  async #queue(otpId: string, use: CodeUse, error: unknown): Promise<boolean> {
    const { queue, logger } = this.dependencies;
    if (!(error instanceof MailNotAccepted && error.isTemporary)) return false;
    if (!(await queue.add(otpId, use, FIRST_RETRY_MS))) return false;
    logger.warn({ event: 'login_code.mail_delayed', otpId, err: error }, 'Code not mailed; retrying');
    return true;
  }
}
