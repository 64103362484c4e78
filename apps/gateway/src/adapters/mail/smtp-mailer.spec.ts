import { afterEach, describe, expect, it } from '@jest/globals';
import { Secret } from '@agent-wallet/kernel';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { SMTPServer } from 'smtp-server';
import { createSmtpMailer } from './smtp-mailer.js';

const PERSON = 'somebody@private.example';

let server: SMTPServer | undefined;

afterEach(() => new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve())));

describe("a mail server's URL that changes", () => {
  it('is where the next mail goes', async () => {
    const taken: string[] = [];
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onRcptTo: ({ address }, _session, done) => {
        taken.push(address);
        done();
      },
    });
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    const { port } = server.server.address() as AddressInfo;
    let url = 'smtp://127.0.0.1:1';
    const changing = Object.assign(new Secret(url), { reveal: () => url });
    const mailer = createSmtpMailer(changing, 'us@wallet.example');
    await expect(mailer.sendPasscode(PERSON, '135791', 10)).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
    url = `smtp://127.0.0.1:${port}`;
    await mailer.sendPasscode(PERSON, '135791', 10);
    mailer.close();
    expect(taken).toEqual([PERSON]);
  });
});

describe('a mail that is refused', () => {
  it('is an upstream error that names nobody, though the server does', async () => {
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onRcptTo: ({ address }, _session, done) =>
        done(Object.assign(new Error(`no such person: ${address}`), { responseCode: 550 })),
    });
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    const { port } = server.server.address() as AddressInfo;
    const mailer = createSmtpMailer(new Secret(`smtp://127.0.0.1:${port}`), 'us@wallet.example');
    const failure: unknown = await mailer.sendPasscode(PERSON, '135791', 10).catch((error: unknown) => error);
    mailer.close();
    expect(failure).toMatchObject({ code: 'UPSTREAM_ERROR' });
    const told = inspect(failure, { depth: 9, showHidden: true });
    expect(told).toContain('550');
    expect(told).not.toMatch(/somebody|135791/);
  });
});
