import { AppError } from '@agent-wallet/kernel';

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

/** Sends mail. */
export interface Mailer {
  /** Resolves once the mail server took the message. @throws MailNotAccepted */
  sendOtp(to: string, code: string, validMinutes: number): Promise<void>;
}
