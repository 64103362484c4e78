import { afterEach, describe, expect, it } from '@jest/globals';
import { Secret } from '@agent-wallet/kernel';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { AGENT_LOGIN } from '../domain/otp.js';
import { createSmtpMailer } from './smtp-mailer.js';

const PERSON = 'marked-address@private.example';

const mailTo = (to: string, code: string) => ({
  to,
  code,
  validMinutes: 10,
  use: AGENT_LOGIN,
  asker: { network: '192.0.2.0/24', isKnown: true, askedAt: '2026-11-24T12:30:00.000Z' },
});

let server: SMTPServer | undefined;

afterEach(() => new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve())));

/** Starts a server that takes all mail. @returns whom it was for */
async function takeMail(port: number): Promise<readonly string[]> {
  const taken: string[] = [];
  server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) => {
      taken.push(address);
      done();
    },
  });
  await new Promise<void>((resolve) => server!.listen(port, '127.0.0.1', resolve));
  return taken;
}

describe("a mail server's URL that changes", () => {
  it('is where the next mail goes', async () => {
    const taken = await takeMail(0);
    const { port } = server!.server.address() as AddressInfo;
    let url = 'smtp://127.0.0.1:1';
    const changing = Object.assign(new Secret(url), { reveal: () => url });
    const mailer = createSmtpMailer(changing, 'us@wallet.example');
    const unreachable = { code: 'UPSTREAM_ERROR', isTemporary: true };
    await expect(mailer.sendOtp(mailTo(PERSON, '135791'))).rejects.toMatchObject(unreachable);
    url = `smtp://127.0.0.1:${port}`;
    await mailer.sendOtp(mailTo(PERSON, '135791'));
    mailer.close();
    expect(taken).toEqual([PERSON]);
  });
});

describe('the address of a mail', () => {
  it('reaches the server as it is stored, with every character of a dot-atom', async () => {
    const taken = await takeMail(0);
    const { port } = server!.server.address() as AddressInfo;
    const mailer = createSmtpMailer(new Secret(`smtp://127.0.0.1:${port}`), 'us@wallet.example');
    const addresses = [..."!#$%&'*+-/=?^_`{|}~"].flatMap((each) => [`${each}a@b.example`, `a.${each}@b.example`]);
    for (const to of addresses) await mailer.sendOtp(mailTo(to, '135791'));
    mailer.close();
    expect(taken).toEqual(addresses);
  });
});

describe('a mail that is refused', () => {
  it.each([
    [450, true],
    [550, false],
  ])('with %i is an upstream error without the address that the server named', async (responseCode, isTemporary) => {
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onRcptTo: ({ address }, _session, done) =>
        done(Object.assign(new Error(`unknown mailbox: ${address}`), { responseCode })),
    });
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    const { port } = server.server.address() as AddressInfo;
    const mailer = createSmtpMailer(new Secret(`smtp://127.0.0.1:${port}`), 'us@wallet.example');
    const failure: unknown = await mailer.sendOtp(mailTo(PERSON, '135791')).catch((error: unknown) => error);
    mailer.close();
    expect(failure).toMatchObject({ code: 'UPSTREAM_ERROR', isTemporary });
    const description = inspect(failure, { depth: 9, showHidden: true });
    expect(description).toContain(`${responseCode}`);
    expect(description).not.toMatch(/marked-address|135791/);
  });
});

describe('a mail server that falls silent', () => {
  const BOUNDS = { sentWithinMs: 500, underWay: 20 };

  async function sendTo(silent: Pick<SMTPServerOptions, 'onMailFrom' | 'onData'>): Promise<void> {
    server = new SMTPServer({ authOptional: true, disabledCommands: ['STARTTLS'], ...silent });
    server.on('error', () => undefined);
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    const { port } = server.server.address() as AddressInfo;
    const mailer = createSmtpMailer(new Secret(`smtp://127.0.0.1:${port}`), 'us@wallet.example', BOUNDS);
    await mailer.sendOtp(mailTo(PERSON, '135791')).finally(() => mailer.close());
  }

  it('with the whole message may have taken it: another mail would end its code', async () => {
    const texts: string[] = [];
    await sendTo({ onData: (stream) => void text(stream).then((each) => texts.push(each)) });
    expect(texts).toEqual([expect.stringContaining('135791')]);
  });

  it('before the message has not taken it', async () => {
    await expect(sendTo({ onMailFrom: () => undefined })).rejects.toMatchObject({ isTemporary: true });
  });
});

describe('a mail server that takes connections and never greets', () => {
  const BOUNDS = { sentWithinMs: 700, underWay: 20 };
  const connections: Socket[] = [];
  const silent = createServer((socket) => void connections.push(socket.on('error', () => undefined)));

  afterEach(() => endSilence());

  async function endSilence(): Promise<void> {
    const closed = new Promise((resolve) => silent.close(resolve));
    connections.splice(0).forEach((socket) => socket.destroy());
    await closed;
  }

  it('ends each mail at its limit, bounds their number, and sends nothing later', async () => {
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    const mailer = createSmtpMailer(new Secret(`smtp://127.0.0.1:${port}`), 'us@wallet.example', BOUNDS);
    const failures = await Promise.all(
      Array.from({ length: 40 }, () =>
        mailer.sendOtp(mailTo(PERSON, '135791')).then(
          () => 'sent',
          (error: unknown) => error,
        ),
      ),
    );
    expect(failures).toEqual(Array(40).fill(expect.objectContaining({ code: 'UPSTREAM_ERROR', isTemporary: true })));
    const reasons = failures.map((error) => inspect(error, { depth: 9 }));
    // Those above the bound are refused before they wait. The others are cut off at the limit of a mail: those that waited
    // for the server's greeting for as long as nodemailer does would have ended with ETIMEDOUT.
    expect(reasons.filter((reason) => reason.includes('(EBUSY)'))).toHaveLength(20);
    expect(reasons.filter((reason) => reason.includes('(EABORT)'))).toHaveLength(20);

    await endSilence();
    const taken = await takeMail(port);
    // What was still in the queue would be sent before this mail.
    await mailer.sendOtp(mailTo('next@private.example', '246802'));
    mailer.close();
    expect(taken).toEqual(['next@private.example']);
  });
});
