import { type Clock, newId, type Secret } from '@agent-wallet/kernel';
import { AGENT_LOGIN, type CodeUse, hashOtp, LIVE_OTPS, makeOtp, OTP_LIFETIME_MS } from '../../domain/otp.js';
import { RateLimited } from '../../domain/rate-limits.js';
import type { Mailer } from '../../ports/mailer.js';
import type { OtpStore } from '../../ports/otp-store.js';

/** What StartLogin works with. */
export interface StartLoginDependencies {
  readonly otps: OtpStore;
  readonly mailer: Mailer;
  readonly pepper: Secret<string>;
  readonly clock: Clock;
}

/** A code that was mailed. */
export interface StartedLogin {
  readonly otpId: string;
  /** Unix milliseconds. */
  readonly expiresAtMs: number;
}

/** Mails a code. Whether the address is known makes no difference to anything that can be seen. */
export class StartLogin {
  constructor(private readonly dependencies: StartLoginDependencies) {}

  /**
   * @param client the client's network
   * @throws RateLimited, AppError UPSTREAM_ERROR when the mail cannot be sent
   */
  async start(email: string, client: string, use: CodeUse = AGENT_LOGIN): Promise<StartedLogin> {
    const { otps, mailer, pepper, clock } = this.dependencies;
    const { allowed, window } = await otps.takeRequest(email, client);
    if (!allowed) throw new RateLimited('email', window, clock.nowMs());
    const code = makeOtp();
    const otpId = newId();
    const expiresAtMs = clock.nowMs() + OTP_LIFETIME_MS;
    await otps.add({ otpId, email, codeHash: hashOtp(pepper, use, { otpId, code }), expiresAtMs });
    try {
      await mailer.sendOtp({ to: email, code, validMinutes: OTP_LIFETIME_MS / 60_000, use });
    } catch (error) {
      await otps.remove(otpId);
      // A mail server that is down locks out no owner. Repeated requests still count against the client's address.
      await otps.returnRequest(email, client, window);
      throw error;
    }
    // Only now: a mail that fails must not cost a code that works.
    await otps.keepNewest(email, LIVE_OTPS);
    return { otpId, expiresAtMs };
  }
}
