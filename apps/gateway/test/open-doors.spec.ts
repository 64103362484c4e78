import { newId } from '@agent-wallet/kernel';
import { isNightly } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client, Reply } from './client.js';
import { expectFailure } from './expect-failure.js';
import { Browser, FakeOwners, ORIGIN } from './owner-console.js';
import { RATE_LIMITS, World } from './world.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let world: World;
beforeAll(async () => {
  world = await World.open({
    ownerOrigin: ORIGIN,
    rateLimits: { ...RATE_LIMITS, clientPerMinute: 10_000, otpMailsPerMinute: 10_000 },
  });
});
beforeEach(async () => {
  await world.reset();
  await world.database.pool.query('truncate login_networks, login_pools, mail_queue');
  void new FakeOwners(world);
});
afterAll(() => world.close());

/** A network of its own for each number. */
const network = (n: number): Client => world.client.from(`10.${100 + (n >> 8)}.${n & 255}.1`);
const plain = (text: string): string => text.replaceAll('=\r\n', '');
const mailsTo = (email: string) => world.inbox.mails.filter(({ to }) => to === email);
/** The code mailed last to an address, of those whose mail contains a text. */
const codeFor = (email: string, text = ''): string =>
  /^(\d+) is/m.exec(plain(mailsTo(email).findLast((mail) => plain(mail.text).includes(text))!.text))![1]!;
const wrongFor = (code: string): string => (code === '000000' ? '000001' : '000000');

/** A way to ask for a code and to use it. */
interface Door {
  readonly ask: (client: Client, email: string, owner: Browser) => Promise<Reply>;
  readonly use: (client: Client, code: Record<'email' | 'otpId' | 'otpCode', string>, owner: Browser) => Promise<Reply>;
}

const agentDoor = (purpose: string, path: string): Door => ({
  ask: (client, email) => client.post('/connect/start', { email, purpose }),
  use: (client, code) => client.post(path, code),
});

const DOORS: Readonly<Record<string, Door>> = {
  login: agentDoor('login', '/connect/complete'),
  eviction: agentDoor('evict', '/connect/evict'),
  cancellation: agentDoor('cancel_claim', '/connect/claims/cancel'),
  'owner-login': {
    ask: (client, email) => new Browser(client).post('/owner/login/start', { email }),
    use: (client, code) => new Browser(client).post('/owner/login/complete', code),
  },
  claim: {
    ask: (_client, agentEmail, owner) => owner.post('/owner/claims/start', { agentEmail }),
    use: (_client, { email, ...code }, owner) => owner.post('/owner/claims', { agentEmail: email, ...code }),
  },
};

/** Returns a new owner's browser, in a session by passkey. */
async function ownerAt(client: Client, email: string): Promise<Browser> {
  const browser = new Browser(client);
  await browser.openWithPasskey(world, email);
  return browser;
}

/** Returns the browser of the same owner in another network. */
function movedTo(client: Client, { cookie }: Browser): Browser {
  return Object.assign(new Browser(client), { cookie });
}

/** Has attackers of as many networks ask for codes of an address at once; for claims, as ten owners. */
async function attack(door: Door, attackers: number, email: string, isClaim: boolean): Promise<void> {
  const noOwner = new Browser(world.client);
  const thieves: Browser[] = [];
  for (let n = 0; isClaim && n < Math.min(attackers, 10); n += 1) {
    thieves.push(await ownerAt(network(n), `thief${n}-${newId()}@example.com`));
  }
  const rounds = attackers === 100 ? 1 : 4;
  for (let round = 0; round < rounds; round += 1) {
    const asked = Array.from({ length: attackers }, (_, n) =>
      door.ask(network(n), email, movedTo(network(n), thieves[n % thieves.length] ?? noOwner)),
    );
    await Promise.all(asked);
  }
}

/** Asks for a code, and once more half a minute later when that is refused. */
async function askTwice(ask: () => Promise<Reply>): Promise<Reply> {
  const first = await ask();
  if (first.status === 200) return first;
  world.clock.aheadMs += MINUTE_MS / 2;
  return ask();
}

// Just before a short code, a long one or a window ends, and in each window of the first three days.
const MOMENTS_MS = [0, 9.5 * MINUTE_MS, 10.5 * MINUTE_MS, 1.2 * HOUR_MS, 8 * HOUR_MS, 31 * HOUR_MS, 72 * HOUR_MS];

/**
 * Numbers of attackers in the gate: all agents' doors share one path, and claims have theirs. At night each door meets each
 * number.
 */
const ATTACKERS: Readonly<Record<string, readonly number[]>> = { login: [1, 100], claim: [100] };

describe.each(Object.entries(DOORS))('the door %s', (name, door) => {
  const isClaim = name === 'claim';

  it.each(isNightly ? [1, 10, 100] : (ATTACKERS[name] ?? [10]))(
    'opens to a network that never logged in, for three days beside %d attackers',
    async (count) => {
      const email = `${name}-${count}@example.com`;
      await world.tokenFor(email, world.client.from('10.3.0.7'));
      for (const [moment, atMs] of MOMENTS_MS.entries()) {
        world.clock.aheadMs = atMs;
        const client = network(1_000 + moment);
        const ownerEmail = `owner${moment}-of-${email}`;
        const owner = isClaim ? await ownerAt(client, ownerEmail) : new Browser(client);
        await attack(door, count, email, isClaim);
        const asked = await askTwice(() => door.ask(client, email, owner));
        expect([moment, asked.status, asked.text.slice(0, 200)]).toEqual([moment, 200, expect.any(String)]);
        // A success lets the strangers' windows begin again, so only the last code is used.
        if (moment < MOMENTS_MS.length - 1) continue;
        const otpCode = codeFor(email, isClaim ? ownerEmail : '');
        const used = await door.use(client, { email, otpId: asked.body.data.otpId, otpCode }, owner);
        expect([200, 202]).toContain(used.status);
      }
    },
  );
});

describe('an owner who claims an agent', () => {
  it('has an allowance beside strangers who claim it', async () => {
    const email = 'claimed@example.com';
    await world.tokenFor(email, world.client.from('10.3.1.7'));
    const thief = await ownerAt(network(1), 'claiming-thief@example.com');
    for (let n = 0; n < 3; n += 1)
      expect((await thief.post('/owner/claims/start', { agentEmail: email })).status).toBe(200);
    const owner = await ownerAt(network(2), 'claiming-owner@example.com');
    for (let n = 0; n < 3; n += 1)
      expect((await owner.post('/owner/claims/start', { agentEmail: email })).status).toBe(200);
    expect(codeFor(email)).toHaveLength(6);
    expect(mailsTo(email)).toHaveLength(1 + 6);
  });

  it('causes a dozen short codes an hour with all others, and one long code for each further network', async () => {
    const email = 'named-often@example.com';
    const named = (n: number, from: Client) =>
      from.post('/connect/start', { email, ownerEmail: `named${n}@example.com` });
    const sent = [];
    for (let n = 0; n < 130; n += 1) sent.push((await named(n, network(n))).status);
    expect(sent).toEqual(sent.map(() => 200));
    for (let n = 130; n < 140; n += 1) sent.push((await named(n, network(n))).status);
    expect(sent.slice(130)).toEqual([200, 200, ...Array.from({ length: 8 }, () => 429)]);
    expect(mailsTo(email)).toHaveLength(12 + 120);
    expect((await network(150).post('/connect/start', { email })).status).toBe(200);
  });
});

describe('neighbours of a network that has logged in', () => {
  const neighbour = (n: number): Client => world.client.from(`10.4.0.${10 + n}`);
  const start = (client: Client, email: string) => client.post('/connect/start', { email });

  it('share its allowance, then that of strangers: thirty get seven mails', async () => {
    const email = 'neighbours@example.com';
    await world.tokenFor(email, neighbour(0));
    const replies = [];
    for (let n = 0; n < 90; n += 1) replies.push(await start(neighbour(1 + (n % 30)), email));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(mailsTo(email)).toHaveLength(1 + 3 + 3 + 1);
    expect(codeFor(email)).toHaveLength(12);
    const { otpId } = (await start(neighbour(0), email)).body.data;
    const login = await neighbour(0).post('/connect/complete', { email, otpId, otpCode: codeFor(email) });
    expect(login.status).toBe(200);
  });

  it('share a dozen mails an hour with all networks known to the mailbox', async () => {
    const email = 'known-networks@example.com';
    const homes = Array.from({ length: 6 }, (_, n) => world.client.from(`10.5.${n}.7`));
    for (const home of homes) await world.tokenFor(email, home);
    await world.reset();
    const before = mailsTo(email).length;
    for (const home of homes) for (let n = 0; n < 3; n += 1) expect((await start(home, email)).status).toBe(200);
    expect(mailsTo(email)).toHaveLength(before + 12 + 3);
  });

  it('share a hundred wrong guesses a day with everyone; then a long code still opens', async () => {
    const email = 'guessed@example.com';
    await world.tokenFor(email, neighbour(0));
    const ids: string[] = [];
    for (let n = 1; n <= 26; n += 1) ids.push((await start(neighbour(n), email)).body.data.otpId);
    const replies = [];
    for (const [n, otpId] of ids.entries()) {
      const wrong = { email, otpId, otpCode: wrongFor(codeFor(email)) };
      for (let tries = 0; tries < 5; tries += 1) {
        replies.push(await neighbour(1 + n).post('/connect/complete', wrong));
      }
    }
    expect(replies.map(({ status }) => status)).toEqual([...Array(100).fill(401), ...Array(30).fill(429)]);
    const refused = replies.at(-1)!;
    expectFailure(refused, 429, 'RATE_LIMIT_EXCEEDED');
    expect(refused.body.data).toMatchObject({ scope: 'email', limit: 100, windowSeconds: 86_400 });
    expect(refused.body.message).toContain('Ask for a new code.');
    const { otpId } = (await start(neighbour(0), email)).body.data;
    const code = codeFor(email);
    expect(code).toHaveLength(12);
    const login = await neighbour(0).post('/connect/complete', { email, otpId, otpCode: code });
    expect(login.status).toBe(200);
  });
});
