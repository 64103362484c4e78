import type { Secret } from '@agent-wallet/kernel';
import { callUpstream } from '@agent-wallet/telemetry';
import { createTransport, type PluginFunction } from 'nodemailer';
import type { RenderedMail } from '../domain/mail/render-mail.js';
import { type Mailer, MailNotAccepted } from '../ports/mailer.js';
import { otpMail } from './otp-mail.js';

const CONNECT_WITHIN_MS = 5_000;
const SILENCE_MS = 8_000;

/** Time limit of a mail, and the number of mails in flight on each line: a silent server delays no caller for longer. */
export interface MailBounds {
  readonly sentWithinMs: number;
  readonly underWay: number;
}

/** The gateway answers within 25 s. A mail that is not sent by then is cut off, and may be queued. */
export const MAIL_BOUNDS: MailBounds = { sentWithinMs: 15_000, underWay: 50 };

/** nodemailer's codes for a mail or credentials that it does not even offer to the server. */
const NEVER_OFFERED: readonly unknown[] = ['EAUTH', 'EENVELOPE', 'EMESSAGE', 'ESTREAM'];

/** Reports whether the server gave a reason. */
function hasReply(error: unknown): boolean {
  return typeof (error as { readonly responseCode?: unknown }).responseCode === 'number';
}

/** Leaves out the words of the server: they name the person. */
function notAccepted(error: unknown): MailNotAccepted {
  const { code, responseCode } = error as { readonly code?: unknown; readonly responseCode?: unknown };
  // 5xx is final by RFC 5321, section 4.2.1. Without a reply the server was not reached, or is silent.
  const isTemporary = typeof responseCode === 'number' ? responseCode < 500 : !NEVER_OFFERED.includes(code);
  const reason = [code, responseCode].filter(Boolean).map(String).join(', ');
  return new MailNotAccepted(isTemporary, new Error(`the mail server did not take a mail (${reason})`));
}

/**
 * Creates a mailer over SMTP, whose connections are kept as long as the server's URL stays the same. Codes for networks that
 * have logged in to the mailbox before have connections of their own, so that they wait for no other mail.
 */
export function createSmtpMailer(url: Secret<string>, from: string, bounds = MAIL_BOUNDS): Mailer & { close(): void } {
  const [known, others] = [new CurrentLine(url, bounds), new CurrentLine(url, bounds)];
  const deliver = async (line: CurrentLine, to: string, content: Content): Promise<void> => {
    let isHandedOver = false;
    const onHandedOver = () => (isHandedOver = true);
    try {
      // An address object: no part of the address is read as a second recipient.
      await line.now().send({ from, to: { name: '', address: to }, onHandedOver, ...content });
    } catch (error) {
      if (!isHandedOver || hasReply(error)) throw notAccepted(error);
    }
  };
  return {
    sendOtp: (mail) => deliver(mail.asker.isKnown ? known : others, mail.to, otpMail(mail)),
    // RFC 3834: mail programs answer nothing that is automatic.
    sendNotice: ({ to, ...mail }) => deliver(others, to, { ...mail, headers: { 'Auto-Submitted': 'auto-generated' } }),
    close: () => {
      known.now().close();
      others.now().close();
    },
  };
}

/** Connections to the server that the URL names at present. */
class CurrentLine {
  #line: ReturnType<typeof openLine> | undefined;

  constructor(
    private readonly url: Secret<string>,
    private readonly bounds: MailBounds,
  ) {}

  now(): ReturnType<typeof openLine> {
    const url = this.url.reveal();
    if (this.#line?.url !== url) {
      this.#line?.retire();
      this.#line = openLine(url, this.bounds);
    }
    return this.#line;
  }
}

/** Notes when a message was read to its end: only then does the server see where it ends, and may take it. */
const notingHandover: PluginFunction = ({ message, data }, done) => {
  const { onHandedOver } = data as Partial<Mail>;
  message.processFunc((content) => content.once('end', () => onHandedOver?.()));
  done();
};

interface Content extends RenderedMail {
  readonly headers?: Readonly<Record<string, string>>;
}

interface Mail extends Content {
  readonly onHandedOver: () => void;
  readonly from: string;
  readonly to: { readonly name: string; readonly address: string };
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
  transport.use('stream', notingHandover);
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
