import { AppError } from '@agent-wallet/kernel';
import type { CodeUse } from '../domain/otp.js';

/** The mail server did not accept a mail. */
export class MailNotAccepted extends AppError {
  constructor(
    /** Whether a later try may succeed: the server said so, or did not answer. */
    readonly isTemporary: boolean,
    cause: Error,
  ) {
    super('UPSTREAM_ERROR', { cause });
  }
}

/** Asker of a code, for the reader of its mail to judge by. */
export interface OtpAsker {
  /** /24 or /48. */
  readonly network: string;
  /** Whether the network has logged in to the mailbox before. */
  readonly isKnown: boolean;
  /** Time of the request, ISO 8601 in UTC. */
  readonly askedAt: string;
}

/** A mail with a code. */
export interface OtpMail {
  readonly to: string;
  readonly code: string;
  readonly validMinutes: number;
  readonly use: CodeUse;
  readonly asker: OtpAsker;
}

/** A mail that was not asked for: it is marked as automatic. */
interface NoticeMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Sends mail. */
export interface Mailer {
  /**
   * Resolves once the mail server took the message, or may have: it got all of it, and did not reply. Another mail would
   * end the code of the one that may have arrived.
   * @throws MailNotAccepted
   */
  sendOtp(mail: OtpMail): Promise<void>;
  /** Sends a notice. @throws MailNotAccepted */
  sendNotice(mail: NoticeMail): Promise<void>;
}
