import type { CodeUse } from '../domain/otp.js';

/** A mail with a code. */
export interface OtpMail {
  readonly to: string;
  readonly code: string;
  readonly validMinutes: number;
  readonly use: CodeUse;
}

/** Sends mail. */
export interface Mailer {
  /** Resolves once the mail server took the message. @throws AppError UPSTREAM_ERROR */
  sendOtp(mail: OtpMail): Promise<void>;
}
