import { type Clock, newId, type Secret } from '@agent-wallet/kernel';
import type { Logger } from '@agent-wallet/platform';
import { ATTRIBUTES, count, METRICS } from '@agent-wallet/telemetry';
import { sessionNetwork } from '../../domain/client-network.js';
import {
  AGENT_LOGIN,
  type CodeUse,
  hashOtp,
  LIVE_OTPS,
  LONG_OTP_LIFETIME_MS,
  makeOtp,
  OTP_LIFETIME_MS,
} from '../../domain/otp.js';
import { RateLimited } from '../../domain/rate-limits.js';
import { type Mailer, MailNotAccepted } from '../../ports/mailer.js';
import type { MailQueue } from '../../ports/mail-queue.js';
import type { MailDecision, OtpRequest, OtpStore } from '../../ports/otp-store.js';
import { isoTime } from '../responses/exact-json.js';
import { FIRST_RETRY_MS } from './mail-queued-otps.js';

/** Dependencies of StartLogin. */
interface StartLoginDependencies {
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
  /**
   * Time of the mail: `later` while it waits for the mail server or its turn; `before` for a code that others asked for,
   * `long_before` if it has twelve digits.
   */
  readonly mailed: 'now' | 'later' | 'before' | 'long_before';
}

/** Mails a code. Whether the address is known makes no difference to anything that can be seen. */
export class StartLogin {
  constructor(private readonly dependencies: StartLoginDependencies) {}

  /**
   * @param client the client's network
   * @throws RateLimited, AppError UPSTREAM_ERROR when the mail server rejects the mail, or too many wait for it
   */
  async start(email: string, client: string, use: CodeUse = AGENT_LOGIN): Promise<StartedLogin> {
    const { otps, clock } = this.dependencies;
    const request: OtpRequest = { otpId: newId(), email, use, client };
    const decision = await otps.takeRequest(request);
    switch (decision.verdict) {
      case 'refused':
        countLimited(decision.limit);
        throw new RateLimited(decision.limit, decision.window, clock.nowMs());
      case 'live':
        return {
          otpId: request.otpId,
          expiresAtMs: decision.expiresAtMs,
          mailed: decision.isLong ? 'long_before' : 'before',
        };
      case 'mail':
      case 'delay':
        return this.#mail(request, decision);
    }
  }

  async #mail(request: OtpRequest, decision: MailDecision): Promise<StartedLogin> {
    const { otps, mailer, pepper, clock } = this.dependencies;
    const { otpId, email, use, client } = request;
    const { isKnown, charge } = decision;
    const isLong = charge === 'long';
    const code = makeOtp(isLong);
    const nowMs = clock.nowMs();
    const lifetimeMs = isLong ? LONG_OTP_LIFETIME_MS : OTP_LIFETIME_MS;
    const expiresAtMs = nowMs + lifetimeMs;
    const codeHash = hashOtp(pepper, use, { otpId, code });
    await otps.add({
      otpId,
      email,
      use,
      asker: charge === 'known' ? client : undefined,
      isLong,
      codeHash,
      expiresAtMs,
    });
    try {
      if (decision.verdict === 'delay') throw new MailDelayed();
      const asker = { network: sessionNetwork(client), isKnown, askedAt: isoTime(nowMs) };
      await mailer.sendOtp({ to: email, code, validMinutes: lifetimeMs / 60_000, use, asker });
    } catch (error) {
      if (await this.#queue(request, isKnown, error)) return { otpId, expiresAtMs, mailed: 'later' };
      await otps.remove(otpId);
      // A mail server that is down locks out no owner.
      await otps.returnRequest(request, decision);
      throw error;
    }
    // Only now: a mail that fails must not cost a code that works.
    await otps.noteMailed(otpId, LIVE_OTPS);
    return { otpId, expiresAtMs, mailed: 'now' };
  }

  /** Leaves a code to `MailQueuedOtps`. False when no later try can help, or the queue is full. */
  async #queue({ otpId, use, client }: OtpRequest, isKnown: boolean, error: unknown): Promise<boolean> {
    const { queue, logger } = this.dependencies;
    if (!(error instanceof MailNotAccepted && error.isTemporary)) return false;
    const isDelayed = error instanceof MailDelayed;
    if (!(await queue.add({ otpId, use, client, isKnown }, isDelayed ? 0 : FIRST_RETRY_MS))) return false;
    if (isDelayed) countLimited('deployment');
    logger.warn({ event: 'login_code.mail_delayed', otpId, err: error }, 'Code not mailed; retrying');
    return true;
  }
}

/** The mail waits for its turn: the deployment's mails of this minute are spent, or others wait before it. */
class MailDelayed extends MailNotAccepted {
  constructor() {
    super(true, new Error('the mail waits for its turn'));
  }
}

function countLimited(limit: string): void {
  count(METRICS.mailsLimited, { attributes: { [ATTRIBUTES.mailLimit.name]: limit } });
}
