/** Sends mail. */
export interface Mailer {
  /** Resolves once the mail server took the message. @throws AppError UPSTREAM_ERROR */
  sendOtp(to: string, code: string, validMinutes: number): Promise<void>;
}
