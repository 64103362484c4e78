import type { Clock, Secret } from '@agent-wallet/kernel';
import type { Logger } from '@agent-wallet/platform';
import { sessionNetwork } from '../../domain/client-network.js';
import { hashOtp, LIVE_OTPS, makeOtp } from '../../domain/otp.js';
import { type Mailer, MailNotAccepted } from '../../ports/mailer.js';
import type { MailQueue, QueuedOtp } from '../../ports/mail-queue.js';
import type { OtpStore } from '../../ports/otp-store.js';
import { isoTime } from '../responses/exact-json.js';

/** Dependencies of MailQueuedOtps. */
interface MailQueuedOtpsDependencies {
  readonly queue: MailQueue;
  readonly otps: Pick<OtpStore, 'noteMailed'>;
  readonly mailer: Mailer;
  readonly pepper: Secret<string>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Pause before the first try from the queue. */
export const FIRST_RETRY_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
const BATCH = 20;
/** Lease of a queued mail; longer than the SMTP timeout. */
const LEASE_MS = 30_000;
const MINUTE_MS = 60_000;

/**
 * Mails the codes that the mail server did not accept at once, and those that wait for their turn, until a minute before they expire.
 *
 * Each try makes a fresh code, because only hashes are stored. A try is claimed by one gateway and mails once. When the
 * gateway dies before it notes that, a later try mails another code; that one is valid.
 */
export class MailQueuedOtps {
  constructor(private readonly dependencies: MailQueuedOtpsDependencies) {}

  /** Runs one round; true when there may be more to do. */
  async round(): Promise<boolean> {
    const { queue, logger } = this.dependencies;
    const due = await queue.takeDue(BATCH, LEASE_MS);
    await Promise.all(
      due.map((queued) =>
        this.#mail(queued).catch((err: unknown) => {
          const fields = { event: 'login_code.mail_delayed', otpId: queued.otpId, err } as const;
          logger.warn(fields, 'Code not mailed; retrying');
        }),
      ),
    );
    return due.length === BATCH;
  }

  async #mail(queued: QueuedOtp): Promise<void> {
    const { queue, otps, mailer, pepper, clock } = this.dependencies;
    const { otpId, email, use, client, isKnown, askedAtMs, expiresAtMs } = queued;
    const asker = { network: sessionNetwork(client), isKnown, askedAt: isoTime(askedAtMs) };
    const validMinutes = Math.floor((expiresAtMs - clock.nowMs()) / MINUTE_MS);
    if (validMinutes < 1) return this.#abandon(queued, new Error('the code expires within a minute'));
    const code = makeOtp(queued.isLong);
    if (!(await queue.replaceCode(queued, hashOtp(pepper, use, { otpId, code })))) return queue.remove(queued);
    try {
      await mailer.sendOtp({ to: email, code, validMinutes, use, asker });
    } catch (error) {
      if (!(error instanceof MailNotAccepted && error.isTemporary)) return this.#abandon(queued, error);
      await queue.retry(queued, Math.min(FIRST_RETRY_MS * 2 ** queued.tries, LONGEST_PAUSE_MS));
      throw error;
    }
    await queue.remove(queued);
    await otps.noteMailed(otpId, LIVE_OTPS);
  }

  async #abandon(queued: QueuedOtp, err: unknown): Promise<void> {
    const { queue, logger } = this.dependencies;
    await queue.remove(queued);
    const fields = { event: 'login_code.mail_abandoned', otpId: queued.otpId, err } as const;
    logger.warn(fields, 'Code not mailed');
  }
}
