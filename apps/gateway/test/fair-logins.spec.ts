import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client, Reply } from './client.js';
import { expectFailure } from './expect-failure.js';
import { RATE_LIMITS, World } from './world.js';

let world: World;
const manyClients = { ...RATE_LIMITS, clientPerMinute: 10_000 };
beforeAll(async () => {
  world = await World.open({ rateLimits: manyClients }, { mailQueuedEveryMs: 50 });
});
beforeEach(async () => {
  await world.reset();
  await world.database.pool.query('truncate login_networks, mail_queue');
});
afterAll(() => world.close());

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SECOND_MS = 1_000;

/** A network of its own for each number. */
const network = (n: number): Client => world.client.from(`10.${100 + (n >> 8)}.${n & 255}.1`);
const start = (client: Client, email: string, more: object = {}): Promise<Reply> =>
  client.post('/connect/start', { email, ...more });
const mailsTo = (email: string) => world.inbox.mails.filter(({ to }) => to === email);
const codeIn = (text: string): string => /^(\d{6}) is/m.exec(text)![1]!;
const idOf = ({ body }: Reply): string => body.data.otpId;
const complete = (client: Client, email: string, otpId: string, otpCode: string): Promise<Reply> =>
  client.post('/connect/complete', { email, otpId, otpCode });
const wrongFor = (code: string): string => (code === '000000' ? '000001' : '000000');

/** Has attackers of as many networks ask for codes of an address until each is refused. */
async function floodFrom(attackers: number, email: string, more: object = {}): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    await Promise.all(Array.from({ length: attackers }, (_, n) => start(network(n), email, more)));
  }
}

describe('a network that has logged in to the mailbox', () => {
  it.each([1, 10, 100])('gets its codes beside %d attackers, for a login and for an eviction', async (attackers) => {
    const email = `kept-${attackers}@example.com`;
    const home = world.client.from('10.2.0.7');
    const token = await world.tokenFor(email, home);
    await floodFrom(attackers, email);
    await floodFrom(attackers, email, { purpose: 'evict' });
    const evicting = await start(home, email, { purpose: 'evict' });
    expect(evicting.status).toBe(200);
    const code = mailsTo(email)
      .at(-1)!
      .text.match(/^(\d{6}) is the code to end/m)![1]!;
    const ended = await home.post('/connect/evict', { email, otpId: idOf(evicting), otpCode: code });
    expect(ended.status).toBe(200);
    expect((await home.as(token).get('/wallets/me/balances')).status).toBe(401);
    await world.tokenFor(email, home);
  });

  it('is known for every tag of the mailbox, and as a whole /24', async () => {
    await world.tokenFor('tags+one@example.com', world.client.from('10.2.1.7'));
    await floodFrom(2, 'tags+two@example.com');
    const before = mailsTo('tags+two@example.com').length;
    expect((await start(world.client.from('10.2.1.200'), 'tags+two@example.com')).status).toBe(200);
    expect(mailsTo('tags+two@example.com')).toHaveLength(before + 1);
  });

  it('loses none of its codes to codes that strangers ask for, nor tries at them', async () => {
    const email = 'mine@example.com';
    const home = world.client.from('10.2.2.7');
    await world.tokenFor(email, home);
    const mine = await world.otp(email, home);
    const theirs = (await Promise.all([0, 1, 2, 3, 4].map((n) => start(network(n), email)))).map(idOf);
    expect(theirs).not.toContain(mine.otpId);
    expect(mailsTo(email)).toHaveLength(5);
    expect((await complete(home, email, mine.otpId, mine.code)).status).toBe(200);
  });

  it('is blocked for itself alone when it asks for too much', async () => {
    const email = 'much@example.com';
    const home = world.client.from('10.2.3.7');
    await world.tokenFor(email, home);
    for (let n = 0; n < 3; n += 1) expect((await start(home, email)).status).toBe(200);
    expectFailure(await start(home, email), 429, 'RATE_LIMIT_EXCEEDED');
    expect((await start(network(0), email)).status).toBe(200);
    expect((await start(world.client.from('10.2.3.8'), email)).status).toBe(200);
  });
});

describe('networks that have not logged in', () => {
  it('share an allowance for each purpose, of which none spends another’s', async () => {
    const email = 'purposes@example.com';
    await floodFrom(3, email);
    expect(mailsTo(email)).toHaveLength(3);
    for (const purpose of ['evict', 'cancel_claim']) {
      expect((await start(network(9), email, { purpose })).status).toBe(200);
    }
    expect(mailsTo(email)).toHaveLength(5);
  });

  it('get three mails of ten requests at once', async () => {
    const email = 'at-once@example.com';
    const replies = await Promise.all(Array.from({ length: 10 }, (_, n) => start(network(n), email)));
    expect(mailsTo(email)).toHaveLength(3);
    for (const { status } of replies) expect([200, 429]).toContain(status);
  });

  it('get an id of the code that was mailed last once others have spent it, with tries of its own', async () => {
    const email = 'lent@example.com';
    const ids = [];
    for (let n = 0; n < 3; n += 1) ids.push(idOf(await start(network(n), email)));
    const mails = mailsTo(email);
    const code = codeIn(mails.at(-1)!.text);
    const owner = world.client.from('10.2.4.7');
    const lent = await start(owner, email);
    expect([lent.status, lent.body.message]).toEqual([200, expect.stringContaining('the code that was mailed last')]);
    const other = await start(network(5), email);
    expect(mailsTo(email)).toHaveLength(3);
    // Attackers burn the tries of every id that they have.
    for (const [n, id] of [...ids, idOf(other)].entries()) {
      for (let tries = 0; tries < 6; tries += 1) await complete(network(10 + n), email, id, wrongFor(code));
    }
    expect((await complete(owner, email, idOf(lent), codeIn(mails[0]!.text))).status).toBe(
      codeIn(mails[0]!.text) === code ? 200 : 401,
    );
    expect((await complete(owner, email, idOf(lent), code)).status).toBe(200);
    // The code is used up under each of its ids.
    const spent = idOf(await start(network(6), email));
    expect((await complete(network(20), email, ids[2]!, code)).status).not.toBe(200);
    expect((await complete(network(21), email, spent, code)).status).not.toBe(200);
  });

  it('get twenty such ids at most, then ids of a code of twelve digits that is mailed once', async () => {
    const email = 'twenty@example.com';
    for (let n = 0; n < 3; n += 1) await start(network(n), email);
    for (let n = 0; n < 20; n += 1) expect((await start(network(50 + n), email)).status).toBe(200);
    expect(mailsTo(email)).toHaveLength(3);
    const replies = [];
    for (let n = 0; n < 30; n += 1) replies.push(await start(network(80 + n), email));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(replies.at(-1)!.body.message).toContain('the code of 12 digits that was mailed last');
    expect(mailsTo(email)).toHaveLength(4);
    const code = world.inbox.lastCode(email);
    expect(code).toHaveLength(12);
    expect((await complete(network(109), email, idOf(replies.at(-1)!), code)).status).toBe(200);
  });

  it('spend nothing of a login that names another owner, or none', async () => {
    const email = 'named@example.com';
    for (let n = 0; n < 3; n += 1) await start(network(n), email, { ownerEmail: 'thief@example.com' });
    const before = mailsTo(email).length;
    expect((await start(network(7), email, { ownerEmail: 'honest@example.com' })).status).toBe(200);
    expect((await start(network(8), email)).status).toBe(200);
    expect(mailsTo(email)).toHaveLength(before + 2);
    const same = await start(network(9), email, { ownerEmail: 'thief@example.com' });
    expect([same.status, mailsTo(email).length]).toEqual([200, before + 2]);
  });

  it('get no short code for longer after each window used up without a login, and as before after one', async () => {
    const email = 'patient-victim@example.com';
    world.clock.stopAt(Date.now());
    let nowMs = world.clock.nowMs();
    const waits: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      for (let n = 0; n < 3; n += 1) expect((await start(network(100 * round + n), email)).status).toBe(200);
      expect(world.inbox.lastCode(email)).toHaveLength(6);
      const { rows } = await world.database.pool.query('select resets_at from login_pools where email = $1', [email]);
      waits.push((rows[0].resets_at - nowMs) / MINUTE_MS);
      world.clock.stopAt((nowMs = Number(rows[0].resets_at) - 1));
      await start(network(100 * round + 9), email);
      expect(world.inbox.lastCode(email)).toHaveLength(12);
      world.clock.stopAt((nowMs += 2));
    }
    expect(waits).toEqual([10, 60, 360, 1440, 1440]);
    expect(mailsTo(email)).toHaveLength(20);
    await world.tokenFor(email, network(600));
    for (let n = 0; n < 3; n += 1) await start(network(700 + n), email);
    world.clock.stopAt((nowMs += 10 * MINUTE_MS + 1));
    const before = mailsTo(email).length;
    expect((await start(network(710), email)).status).toBe(200);
    expect(mailsTo(email)).toHaveLength(before + 1);
    expect(world.inbox.lastCode(email)).toHaveLength(6);
  });
});

describe('mails', () => {
  it('go to twenty addresses an hour that one network asks for; to those it has logged in to as well', async () => {
    const client = world.client.from('10.2.5.7');
    await world.tokenFor('own@example.com', client);
    await world.database.pool.query('truncate rate_windows');
    const replies = await Promise.all(Array.from({ length: 95 }, (_, n) => start(client, `stranger-${n}@example.com`)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(20);
    const refused = replies.find(({ status }) => status !== 200)!;
    expect(refused.body.data).toMatchObject({ scope: 'client', limit: 20, windowSeconds: 3_600 });
    const asked = replies.findIndex(({ status }) => status === 200);
    expect((await start(client, `stranger-${asked}@example.com`)).status).toBe(200);
    expect((await start(client, 'own@example.com')).status).toBe(200);
    expect((await start(world.client.from('10.2.6.7'), 'someone@example.com')).status).toBe(200);
    world.clock.aheadMs += HOUR_MS + SECOND_MS;
    expect((await start(client, 'stranger-94@example.com')).status).toBe(200);
  });

  it('go to a dozen tags of a mailbox an hour and one more for each network, and still to the address itself', async () => {
    const replies = [];
    for (let n = 0; n < 60; n += 1) replies.push(await start(network(n % 4), `box+${n}@example.com`));
    expect(replies.map(({ status }) => status)).toEqual(replies.map((_, n) => (n < 16 ? 200 : 429)));
    expect(replies[16]!.body.data).toMatchObject({ scope: 'email', limit: 12, windowSeconds: 3_600 });
    expect((await start(network(70), 'box@example.com')).status).toBe(200);
    expect((await start(network(71), 'other+1@example.com')).status).toBe(200);
  });

  it('say when, and from which network, a code was requested', async () => {
    const email = 'informed@example.com';
    world.clock.stopAt(Date.UTC(2026, 10, 24, 12, 30, 45));
    await start(world.client.from('203.0.113.9'), email);
    const line = (text: string) => text.replaceAll('=\r\n', '').replaceAll('\r\n', ' ');
    expect(line(mailsTo(email)[0]!.text)).toContain(
      'requested at 2026-11-24 12:30 UTC from the network 203.0.113.0/24, from which this mailbox has not logged in before.',
    );
    await world.tokenFor(email, world.client.from('203.0.113.9'));
    await start(world.client.from('203.0.113.9'), email);
    expect(line(mailsTo(email).at(-1)!.text)).toContain('from which this mailbox has logged in before.');
  });
});

describe('a deployment that mails five codes a minute', () => {
  let usual: World;
  beforeAll(async () => {
    usual = world;
    const rateLimits = { ...manyClients, otpAddressesPerHour: 100, otpMailsPerMinute: 5 };
    world = await World.open({ rateLimits }, { mailQueuedEveryMs: 50 });
  });
  afterAll(async () => {
    await world.close();
    world = usual;
  });

  it('lets further ones wait, network by network, and none of a network that has logged in', async () => {
    const home = world.client.from('10.2.7.7');
    await world.tokenFor('home@example.com', home);
    await world.reset();
    let nowMs = Date.now();
    world.clock.stopAt(nowMs);
    const [greedy, modest] = [network(1), network(2)];
    for (let n = 0; n < 25; n += 1) expect((await start(greedy, `greedy-${n}@example.com`)).status).toBe(200);
    const mailed = () => world.inbox.mails.filter(({ to }) => to.startsWith('greedy-')).length;
    expect(mailed()).toBe(5);
    expect((await start(modest, 'modest@example.com')).status).toBe(200);
    expect(mailsTo('modest@example.com')).toHaveLength(0);
    expect((await start(home, 'home@example.com')).status).toBe(200);
    expect(mailsTo('home@example.com')).toHaveLength(2);
    world.clock.stopAt((nowMs += MINUTE_MS + 1));
    await eventually(() => mailsTo('modest@example.com').length === 1);
    await eventually(() => mailed() === 9);
    world.clock.stopAt((nowMs += MINUTE_MS + 1));
    await eventually(() => mailed() === 14);
  });
});
