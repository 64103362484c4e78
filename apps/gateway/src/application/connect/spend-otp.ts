import { type Clock, newId, type Secret, sleep } from '@agent-wallet/kernel';
import { type CodeUse, hashOtp } from '../../domain/otp.js';
import { RateLimited } from '../../domain/rate-limits.js';
import { unauthenticated } from '../../domain/unauthenticated.js';
import type { ClaimedOtp, OtpStore } from '../../ports/otp-store.js';

/** A code that a caller sent. */
export interface SentOtp {
  readonly email: string;
  readonly otpId: string;
  readonly code: string;
  /** The client's network. */
  readonly client: string;
}

/** Longer than everything that a code buys can take, so that a claim outlives no living request. */
const CLAIM_LAPSES_IN_MS = 12_000;
const WAIT_FOR_OTHER_MS = 13_000;
const POLL_MS = 100;

/**
 * Spends a mailed code on one piece of work, which uses it up together with what it buys: a crash on the way leaves a code
 * that works. A claim separates two requests with one code: the second waits until the first has either used the code, and
 * is refused, or let go of it.
 */
export class SpendOtp {
  constructor(
    private readonly dependencies: {
      readonly otps: OtpStore;
      readonly pepper: Secret<string>;
      readonly clock: Clock;
    },
  ) {}

  /** @throws RateLimited, AppError AUTHENTICATION_ERROR, or what `work` throws */
  async spend<T>(sent: SentOtp, use: CodeUse, work: (otp: ClaimedOtp) => Promise<T>): Promise<T> {
    const { otps } = this.dependencies;
    const otpId = await otps.codeIdOf(sent.otpId);
    await this.#check(sent, use, otpId);
    const claimId = await this.#claim(otpId);
    try {
      return await work({ otpId, claimId, email: sent.email, client: sent.client });
    } catch (error) {
      await otps.release(otpId, claimId).catch(() => undefined); // else it lapses by itself
      throw error;
    }
  }

  async #check({ code, ...attempt }: SentOtp, use: CodeUse, otpId: string): Promise<void> {
    const { pepper, otps, clock } = this.dependencies;
    const codeHash = hashOtp(pepper, use, { otpId, code });
    const found = await otps.guess({ ...attempt, codeHash });
    if (found.verdict === 'spent') throw new RateLimited(found.limit, found.window, clock.nowMs());
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
}
