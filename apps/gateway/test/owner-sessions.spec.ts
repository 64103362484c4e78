import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OWNER_IDLE_MS, OWNER_SESSION_MS } from '../src/domain/owner-session.js';
import { EventReader } from './event-reader.js';
import { expectFailure } from './expect-failure.js';
import { ASSERTION, Browser, FakeOwners, LOGIN_DOCUMENT, ORIGIN, REGISTRATION } from './owner-console.js';
import { GENEROUS } from './wallet-script.js';
import { ScriptedLog } from './scripted-log.js';
import { World } from './world.js';

const MINUTE_MS = 60_000;
const UNKNOWN = '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f';

interface Listed {
  readonly id: string;
  readonly current: boolean;
  readonly authenticatedBy: 'mail' | 'passkey';
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly expiresAt: string;
}

let world: World;
let fake: FakeOwners;
let people = 0;
let email: string;
let browser: Browser;
let ownerId: string;
const streams: EventReader[] = [];

beforeAll(async () => {
  world = await World.open(
    { ownerOrigin: ORIGIN, rateLimits: GENEROUS },
    { followEveryMs: 10, reviewStreamsEveryMs: 50 },
  );
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  fake = new FakeOwners(world);
  people += 1;
  email = `sessions${people}@example.com`;
  browser = new Browser(world.client.from(`10.8.${people}.1`));
  ownerId = await browser.openWithPasskey(world, email);
  Object.assign(world.script.history, new ScriptedLog().script);
});
afterEach(() => streams.splice(0).forEach((stream) => stream.close()));

async function listed(from = browser): Promise<Listed[]> {
  const answer = await from.get('/owner/sessions');
  expect(answer.status).toBe(200);
  return answer.body.data.sessions as Listed[];
}

const own = async (from: Browser) => (await listed(from)).find(({ current }) => current)!.id;
const end = (from: Browser, id: string) => from.call('DELETE', `/owner/sessions/${id}`);
const statusAt = async (from: Browser) => (await from.get('/owner/me')).status;
const passed = (ms: number) => (world.clock.aheadMs += ms);

async function byMail(network = '10.8.200.1'): Promise<Browser> {
  const opened = new Browser(world.client.from(network));
  expect((await opened.logInByMail(world, email)).status).toBe(200);
  return opened;
}

async function byPasskey(network = '2001:db8:1:2::3'): Promise<Browser> {
  const opened = new Browser(world.client.from(network));
  fake.signer = ownerId;
  const login = { document: LOGIN_DOCUMENT, assertion: ASSERTION };
  expect((await opened.post('/owner/login/passkey', login)).status).toBe(200);
  return opened;
}

/** Follows the changes of the owner's agents. */
async function follow({ cookie }: Browser, network: string): Promise<EventReader> {
  const headers = { cookie, origin: ORIGIN, 'x-forwarded-for': network };
  const stream = await EventReader.open(`${world.client.url}/owner/events`, headers);
  streams.push(stream);
  expect(stream.status).toBe(200);
  return stream;
}

describe('the list of an owner’s sessions', () => {
  it('shows how, when and where from each was opened, the newest first', async () => {
    passed(MINUTE_MS);
    await byMail();
    passed(MINUTE_MS);
    const phone = await byPasskey();
    passed(MINUTE_MS);
    const sessions = await listed(browser);
    const known = { authenticatedBy: 'passkey', passkeyId: REGISTRATION.id };
    expect(sessions).toEqual([
      expect.objectContaining({ ...known, network: '2001:db8:1::/48', current: false }),
      expect.objectContaining({ authenticatedBy: 'mail', passkeyId: null, network: '10.8.200.0/24', current: false }),
      expect.objectContaining({ ...known, network: `10.8.${people}.0/24`, current: true }),
    ]);
    const times = sessions.map(({ createdAt }) => Date.parse(createdAt));
    expect(times[0]! - times[1]!).toBeGreaterThanOrEqual(MINUTE_MS);
    expect(times[1]! - times[2]!).toBeGreaterThanOrEqual(MINUTE_MS);
    const { lastUsedAt, createdAt, expiresAt } = sessions[2]!;
    expect(Date.parse(lastUsedAt) - Date.parse(createdAt)).toBeGreaterThanOrEqual(3 * MINUTE_MS);
    expect(Date.parse(expiresAt) - Date.parse(lastUsedAt)).toBe(OWNER_IDLE_MS);
    expect((await listed(phone)).map(({ current }) => current)).toEqual([true, false, false]);
  });

  it('names the end after twelve hours where that is earlier, and leaves out what has ended', async () => {
    passed(MINUTE_MS);
    const idle = await byMail();
    for (let used = 0; used < OWNER_SESSION_MS - 2 * MINUTE_MS; used += OWNER_IDLE_MS - MINUTE_MS) {
      expect(await statusAt(browser)).toBe(200);
      passed(OWNER_IDLE_MS - MINUTE_MS);
      if (used + OWNER_IDLE_MS > OWNER_SESSION_MS - 40 * MINUTE_MS) break;
    }
    const sessions = await listed(browser);
    expect(sessions).toHaveLength(1);
    const [{ createdAt, expiresAt, lastUsedAt }] = sessions as [Listed];
    const ends = Math.min(Date.parse(createdAt) + OWNER_SESSION_MS, Date.parse(lastUsedAt) + OWNER_IDLE_MS);
    expect(Date.parse(expiresAt)).toBe(ends);
    expect(ends).toBe(Date.parse(createdAt) + OWNER_SESSION_MS);
    expect(await statusAt(idle)).toBe(401);
  });

  it('has none of another owner', async () => {
    const stranger = new Browser(world.client.from('10.8.201.1'));
    await stranger.logInByMail(world, `stranger${people}@example.com`);
    expect(await listed(stranger)).toHaveLength(1);
    expectFailure(await end(stranger, await own(browser)), 404, 'NOT_FOUND');
    expect((await stranger.post('/owner/sessions/end-others')).body.data).toEqual({ ended: 0 });
    expect(await statusAt(browser)).toBe(200);
  });
});

describe('an owner who ends sessions', () => {
  it('ends one by its id, at once; the others go on', async () => {
    const [mailed, phone] = [await byMail(), await byPasskey()];
    const stream = await follow(phone, '10.8.202.1');
    expect((await end(browser, await own(phone))).body.data).toEqual({ revoked: true });
    expect([await statusAt(phone), await statusAt(mailed), await statusAt(browser)]).toEqual([401, 200, 200]);
    await stream.untilEnd();
    expect(stream.ended).toBe('well');
    for (const id of [UNKNOWN, UNKNOWN.toUpperCase()]) expectFailure(await end(browser, id), 404, 'NOT_FOUND');
    expectFailure(await end(browser, 'mine'), 400, 'VALIDATION_ERROR');
  });

  it('ends its own, and loses the cookie', async () => {
    const answer = await end(browser, await own(browser));
    expect(answer.body.data).toEqual({ revoked: true });
    expect(answer.headers['set-cookie']).toEqual([expect.stringContaining('Max-Age=0')]);
    expect(await statusAt(browser)).toBe(401);
  });

  it('ends the others, and their streams', async () => {
    const [mailed, phone] = [await byMail(), await byPasskey()];
    const own = await follow(browser, '10.8.205.1');
    const others = [await follow(mailed, '10.8.203.1'), await follow(phone, '10.8.204.1')];
    expect((await browser.post('/owner/sessions/end-others')).body.data).toEqual({ ended: 2 });
    expect([await statusAt(phone), await statusAt(mailed), await statusAt(browser)]).toEqual([401, 401, 200]);
    for (const stream of others) await stream.untilEnd();
    expect([...others, own].map(({ ended }) => ended)).toEqual(['well', 'well', undefined]);
    expect((await browser.post('/owner/sessions/end-others')).body.data).toEqual({ ended: 0 });
  });

  it('finds none that has ended by itself', async () => {
    const mailed = await byMail();
    const id = await own(mailed);
    passed(OWNER_IDLE_MS - MINUTE_MS);
    expect(await statusAt(browser)).toBe(200);
    passed(MINUTE_MS + 1);
    expectFailure(await end(browser, id), 404, 'NOT_FOUND');
    expect((await browser.post('/owner/sessions/end-others')).body.data).toEqual({ ended: 0 });
  });

  it('needs the console’s page', async () => {
    const id = await own(browser);
    browser.origin = 'https://elsewhere.example.com';
    expect((await end(browser, id)).body.data.reason).toBe('wrong_origin');
    expect((await browser.post('/owner/sessions/end-others')).body.data.reason).toBe('wrong_origin');
    browser.origin = ORIGIN;
    expect(await statusAt(browser)).toBe(200);
  });
});

describe('a session by mail of an owner who has a passkey', () => {
  it('ends other sessions by mail, and none of a passkey', async () => {
    const [thief, mailed, another] = [await byMail(), await byMail(), await byMail()];
    const refused = await end(thief, await own(browser));
    expectFailure(refused, 401, 'AUTHENTICATION_ERROR');
    expect(refused.body.data.reason).toBe('passkey_required');
    expect((await end(thief, await own(another))).status).toBe(200);
    expect((await thief.post('/owner/sessions/end-others')).body.data).toEqual({ ended: 1 });
    expect([await statusAt(another), await statusAt(mailed)]).toEqual([401, 401]);
    expect([await statusAt(thief), await statusAt(browser)]).toEqual([200, 200]);
    expect((await end(browser, await own(thief))).status).toBe(200);
    expect(await statusAt(thief)).toBe(401);
  });
});
