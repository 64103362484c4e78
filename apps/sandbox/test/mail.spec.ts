import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createTransport } from 'nodemailer';
import { World } from './world.js';

describe('mail', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });

  afterAll(() => world.stop());

  const send = (to: string, text: string): Promise<unknown> =>
    createTransport(world.sandbox.smtpUrl).sendMail({ from: 'wallet@example.org', to, subject: `About ${text}`, text });
  const inbox = async (query = ''): Promise<Array<Record<string, string>>> =>
    (await world.admin('GET', `/inbox${query}`)).body['messages']!;

  it('keeps what arrives for each recipient, newest first', async () => {
    await send('ann@example.org', 'one');
    await send('ann@example.org, Bob <bob@example.org>', 'zwei — ü');
    expect(await inbox('?to=ann@example.org')).toMatchObject([
      { subject: 'About zwei — ü', text: 'zwei — ü\n' },
      { subject: 'About one' },
    ]);
    expect(await inbox('?to=BOB@example.org')).toEqual([
      {
        to: 'bob@example.org',
        subject: 'About zwei — ü',
        text: 'zwei — ü\n',
        receivedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
    expect(await inbox('?to=nobody@example.org')).toEqual([]);
    expect(await inbox()).toHaveLength(3);
  });

  it.each(['bücher.example', 'xn--bcher-kva.example', 'BÜCHER.example'])(
    'finds mail to an internationalized domain by %s',
    async (domain) => {
      await send('ida@bücher.example', domain);
      expect(await inbox(`?to=ida@${encodeURIComponent(domain)}`)).toMatchObject(
        expect.arrayContaining([
          expect.objectContaining({ to: 'ida@xn--bcher-kva.example', subject: `About ${domain}` }),
        ]),
      );
    },
  );

  it('lists what came by itself apart: it is never the newest code', async () => {
    const mail = { from: 'wallet@example.org', to: 'gil@example.org', subject: 'x' };
    const transport = createTransport(world.sandbox.smtpUrl);
    await transport.sendMail({ ...mail, text: '123456 is a code' });
    await transport.sendMail({ ...mail, text: 'a notice', headers: { 'Auto-Submitted': 'auto-generated' } });
    expect(await inbox('?to=gil@example.org')).toMatchObject([{ text: '123456 is a code\n' }]);
    expect(await inbox('?to=gil@example.org&automatic=true')).toMatchObject([{ text: 'a notice\n' }]);
  });

  it('shows the HTML of a mail beside its text', async () => {
    const mail = {
      from: 'wallet@example.org',
      to: 'html@example.org',
      subject: 'x',
      text: 'a notice',
      html: '<p>a notice</p>',
    };
    await createTransport(world.sandbox.smtpUrl).sendMail(mail);
    expect(await inbox('?to=html@example.org')).toMatchObject([{ text: 'a notice\n', html: '<p>a notice</p>\n' }]);
  });

  it('takes any name and password', async () => {
    const url = world.sandbox.smtpUrl.replace('smtp://', 'smtp://user:secret@');
    await createTransport(url).sendMail({ from: 'a@example.org', to: 'auth@example.org', subject: 'x', text: 'y' });
    expect(await inbox('?to=auth@example.org')).toHaveLength(1);
  });

  it.each([
    ['reject', '554'],
    ['defer', '451'],
  ])('%s: the sender gets an error, nothing arrives', async (fault, replyCode) => {
    const address = `${fault}@example.org`;
    await world.arm(fault, { match: { address } }, 'mail');
    await send('dan@example.org', 'passes');
    await expect(send(address, 'fails')).rejects.toThrow(replyCode);
    expect(await inbox(`?to=${address}`)).toEqual([]);
    await send(address, 'passes');
    expect(await inbox(`?to=${address}`)).toHaveLength(1);
  });

  it('outlives a sender that is gone in the middle of a mail', async () => {
    const { hostname, port } = new URL(world.sandbox.smtpUrl);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    await once(socket, 'data');
    for (const line of ['HELO gone', 'MAIL FROM:<a@example.org>', 'RCPT TO:<gone@example.org>', 'DATA']) {
      socket.write(`${line}\r\n`);
      await once(socket, 'data');
    }
    socket.resetAndDestroy();
    await send('fay@example.org', 'next');
    expect(await inbox('?to=fay@example.org')).toHaveLength(1);
    expect(await inbox('?to=gone@example.org')).toEqual([]);
  });

  it('delay: the mail arrives late', async () => {
    await world.arm('delay', { delayMs: 200 }, 'mail');
    const sentAt = Date.now();
    await send('eve@example.org', 'slow');
    expect(Date.now() - sentAt).toBeGreaterThanOrEqual(200);
    expect(await inbox('?to=eve@example.org')).toHaveLength(1);
  });
});
