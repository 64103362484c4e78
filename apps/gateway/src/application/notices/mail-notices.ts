import type { Clock } from '@agent-wallet/kernel';
import type { Logger } from '@agent-wallet/platform';
import { type Mailer, MailNotAccepted } from '../../ports/mailer.js';
import type { NoticeStore, QueuedNotice } from '../../ports/notice-store.js';

/** Dependencies of MailNotices. */
interface MailNoticesDependencies {
  readonly store: Pick<NoticeStore, 'queueDigests' | 'takeDue' | 'retry' | 'remove'>;
  readonly mailer: Pick<Mailer, 'sendNotice'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Few at once: login codes need the mailer's places, too. */
const BATCH = 5;
/** Lease of a queued mail; longer than the SMTP timeout. */
const LEASE_MS = 30_000;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 900_000;
/** Longest outage of the mail server after which a notice is still mailed. */
const ABANDONED_AFTER_MS = 72 * 3_600_000;

/**
 * Mails notices, and digests of those that came after a day's allowance. A try is claimed by one gateway and mails once. When
 * the gateway dies before it notes that, a later try mails the same text again.
 */
export class MailNotices {
  constructor(private readonly dependencies: MailNoticesDependencies) {}

  /** Runs one round; true when there may be more to do. */
  async round(): Promise<boolean> {
    const { store, logger } = this.dependencies;
    const digests = await store.queueDigests();
    const due = await store.takeDue(BATCH, LEASE_MS);
    await Promise.all(
      due.map((mail) =>
        this.#mail(mail).catch((err: unknown) => {
          const fields = { event: 'notice.mail_delayed', noticeId: mail.id, err } as const;
          logger.warn(fields, 'Notice not mailed; retrying');
        }),
      ),
    );
    return digests > 0 || due.length === BATCH;
  }

  async #mail(mail: QueuedNotice): Promise<void> {
    const { store, mailer, clock, logger } = this.dependencies;
    const { id, mailbox: to, subject, text, html, queuedAtMs, tries } = mail;
    try {
      await mailer.sendNotice({ to, subject, text, html });
    } catch (err) {
      const isTemporary = err instanceof MailNotAccepted && err.isTemporary;
      if (isTemporary && clock.nowMs() - queuedAtMs < ABANDONED_AFTER_MS) {
        await store.retry(mail, Math.min(FIRST_PAUSE_MS * 2 ** Math.min(tries, 20), LONGEST_PAUSE_MS));
        throw err;
      }
      const fields = { event: 'notice.mail_abandoned', noticeId: id, err } as const;
      logger.warn(fields, 'Notice not mailed');
    }
    await store.remove(mail);
  }
}
