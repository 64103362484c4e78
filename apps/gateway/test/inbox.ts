import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail server that keeps what it gets. */
export interface Inbox {
  readonly url: string;
  readonly mails: ReadonlyArray<{ readonly to: string; readonly text: string }>;
  /** Mails that came by themselves. */
  readonly notices: ReadonlyArray<{ readonly to: string; readonly text: string }>;
  /** Whether it rejects mail with 5xx. */
  refusing: boolean;
  /** Whether it rejects mail with 4xx. */
  deferring: boolean;
  /** Whether it closes the connection instead of a reply to a message that it took. */
  dropping: boolean;
  /** What it waits for before it takes or refuses mail. */
  held: Promise<void>;
  /** The code of the newest mail to an address. */
  lastCode(to: string): string;
  close(): Promise<void>;
}

/** Starts a mail server on a free port. */
export async function startInbox(): Promise<Inbox> {
  const mails: Array<{ to: string; text: string }> = [];
  const notices: typeof mails = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onMailFrom: (_address, _session, done) =>
      void inbox.held.then(() => {
        if (inbox.deferring) done(Object.assign(new Error('come again later'), { responseCode: 451 }));
        else done(inbox.refusing ? new Error('no more mail today') : null);
      }),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const taken = /^auto-submitted: auto-generated\r?$/im.test(text) ? notices : mails;
        for (const { address } of session.envelope.rcptTo) taken.push({ to: address, text });
        if (inbox.dropping) server.connections.forEach((connection) => connection.close());
        else done();
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const inbox: Inbox = {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    notices,
    refusing: false,
    deferring: false,
    dropping: false,
    held: Promise.resolve(),
    lastCode: (to) => {
      const mail = mails.findLast((candidate) => candidate.to === to);
      const code =
        /^(\d{6}(?:\d{6})?) is (?:your login code|the code to (?:claim|end all sessions|cancel every claim))/m.exec(
          mail?.text ?? '',
        )?.[1];
      if (!code) throw new Error(`no code was mailed to ${to}`);
      return code;
    },
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  };
  return inbox;
}
