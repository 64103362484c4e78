import { systemClock } from '@agent-wallet/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { FaultBoard } from '../faults/fault-board.js';
import { JournalNotWritten } from '../journal/journal-not-written.js';
import { type Inbox, wireAddress } from './inbox.js';

const MAIL_LIMIT_BYTES = 5 << 20;

/** SMTP in. Any name and password will do; nothing leaves this machine. */
export function createMailServer(inbox: Inbox, faults: FaultBoard): SMTPServer {
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    size: MAIL_LIMIT_BYTES,
    onAuth: ({ username }, _session, done) => done(null, { user: username ?? 'anybody' }),
    onData: (stream, session, done) => {
      receive(stream, session, { inbox, faults }).then(
        () => done(),
        (error: Error) => done(error instanceof JournalNotWritten ? smtpError(452, error.message) : error),
      );
    },
  });
  // A client that is gone in the middle of a mail is an error event, which would end the process without a listener.
  server.on('error', () => undefined);
  return server;
}

async function receive(
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  { inbox, faults }: { inbox: Inbox; faults: FaultBoard },
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  if (stream.sizeExceeded) throw smtpError(552, 'the message is too large');
  const recipients = session.envelope.rcptTo.map(({ address }) => wireAddress(address));
  const subject = { addresses: () => new Set(recipients), byDefault: true };
  const delay = faults.take('mail', 'delay', subject);
  if (delay) await sleep(delay.delayMs);
  if (faults.take('mail', 'reject', subject)) throw smtpError(554, 'the message is rejected');
  if (faults.take('mail', 'defer', subject)) throw smtpError(451, 'the message is not accepted now');
  const mail = await PostalMime.parse(Buffer.concat(chunks));
  const receivedAt = new Date(systemClock.nowMs()).toISOString();
  const submitted = mail.headers.find(({ key }) => key === 'auto-submitted')?.value;
  const isAutomatic = submitted !== undefined && submitted !== 'no';
  for (const to of recipients) {
    const html = mail.html === undefined ? {} : { html: mail.html };
    const message = { to, subject: mail.subject ?? '', text: mail.text ?? '', ...html, receivedAt };
    await inbox.add(isAutomatic ? { ...message, isAutomatic } : message);
  }
}

function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
