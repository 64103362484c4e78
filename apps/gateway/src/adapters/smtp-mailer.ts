import { AppError, type Secret } from '@agent-wallet/kernel';
import { callUpstream } from '@agent-wallet/telemetry';
import { createTransport } from 'nodemailer';
import type { Mailer } from '../ports/mailer.js';
import { otpText } from './otp-text.js';

const CONNECT_WITHIN_MS = 5_000;
const SILENCE_MS = 8_000;

/** How long a mail may take, and how many may be in flight: a silent server delays no caller for longer. */
export interface MailBounds {
  readonly sentWithinMs: number;
  readonly underWay: number;
}

/** The gateway answers within 25 s. A mail that is not sent by then is never sent: its caller has stopped waiting. */
export const MAIL_BOUNDS: MailBounds = { sentWithinMs: 15_000, underWay: 50 };

/** Why a mail was not taken, without the words of the server: they name the person. */
class MailNotSent extends Error {
  constructor(error: unknown) {
    const { code, responseCode } = error as { readonly code?: unknown; readonly responseCode?: unknown };
    super(`the mail server did not take a mail (${[code, responseCode].filter(Boolean).map(String).join(', ')})`);
    this.name = 'MailNotSent';
  }
}

/** Mail over SMTP, with connections that are kept as long as the server's URL stays the same. */
export function createSmtpMailer(url: Secret<string>, from: string, bounds = MAIL_BOUNDS): Mailer & { close(): void } {
  let line = openLine(url.reveal(), bounds);
  const lineNow = () => {
    const current = url.reveal();
    if (current !== line.url) {
      line.retire();
      line = openLine(current, bounds);
    }
    return line;
  };
  return {
    async sendOtp(mail) {
      try {
        // An address object: no part of the address is read as a second recipient.
        await lineNow().send({ from, to: { name: '', address: mail.to }, ...otpText(mail) });
      } catch (error) {
        throw new AppError('UPSTREAM_ERROR', { cause: new MailNotSent(error) });
      }
    },
    close: () => line.close(),
  };
}

interface Mail {
  readonly from: string;
  readonly to: { readonly name: string; readonly address: string };
  readonly subject: string;
  readonly text: string;
}

/** Connections to one server. One that is retired closes when its last mail was sent. */
function openLine(url: string, bounds: MailBounds) {
  const transport = createTransport({
    url,
    pool: true,
    connectionTimeout: CONNECT_WITHIN_MS,
    greetingTimeout: CONNECT_WITHIN_MS,
    socketTimeout: SILENCE_MS,
  });
  const host = URL.parse(url)?.hostname;
  let underWay = 0;
  let isRetired = false;
  const closeWhenDone = () => void (isRetired && underWay === 0 && transport.close());
  return {
    url,
    async send(mail: Mail): Promise<void> {
      if (underWay >= bounds.underWay)
        throw Object.assign(new Error('too many mails are under way'), { code: 'EBUSY' });
      underWay += 1;
      // Takes it out of the queue, too, or closes the connection that it is on.
      const signal = AbortSignal.timeout(bounds.sentWithinMs);
      try {
        await callUpstream({ upstream: 'mail', method: 'send', host }, () => transport.sendMail({ ...mail, signal }));
      } finally {
        underWay -= 1;
        closeWhenDone();
      }
    },
    retire(): void {
      isRetired = true;
      closeWhenDone();
    },
    close: () => transport.close(),
  };
}
