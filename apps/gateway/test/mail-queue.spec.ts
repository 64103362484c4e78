import { Secret } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MAIL_QUEUE_LIMIT, PostgresMailQueue } from '../src/adapters/postgres-mail-queue.js';
import { RATE_LIMITS, World } from './world.js';

const MINUTE_MS = 60_000;
const LEASE_MS = 30_000;
const FIRST_RETRY_MS = 5_000;
const LATER = 'The code is mailed when the mail server accepts it.';

let world: World;
/** The gateways' clock stands still, so that tries happen only when a test lets time pass. */
let nowMs: number;
beforeAll(async () => {
  world = await World.open({}, { mailQueuedEveryMs: 50 });
  // A second gateway on the same queue.
  await world.start();
});
beforeEach(async () => {
  await world.reset();
  await world.database.pool.query('delete from mail_queue');
  nowMs = Date.now();
  pass(0);
});
afterAll(() => world.close());

function pass(ms: number): void {
  nowMs += ms;
  world.clock.stopAt(nowMs);
}

async function start(email: string): Promise<string> {
  const { status, body } = await world.client.post('/connect/start', { email });
  expect([status, body.message]).toEqual([200, LATER]);
  return body.data.otpId as string;
}

async function queued(): Promise<Array<{ tries: number; dueInMs: number }>> {
  const { rows } = await world.database.pool.query('select tries, due_at from mail_queue');
  return rows.map(({ tries, due_at: dueAt }) => ({ tries, dueInMs: dueAt.getTime() - nowMs }));
}

const isEmpty = async () => (await queued()).length === 0;
const mailsTo = (email: string) => world.inbox.mails.filter(({ to }) => to === email);
const complete = (email: string, otpId: string, otpCode: string) =>
  world.client.post('/connect/complete', { email, otpId, otpCode });

/** Lets time pass until the only queued code is due, and waits for the end of that try. @returns when the next is due */
async function failNextTry(): Promise<number> {
  const [before] = await queued();
  pass(before!.dueInMs);
  const [after] = await eventually(queued, ([now]) => now!.tries > before!.tries && now!.dueInMs !== LEASE_MS);
  return after!.dueInMs;
}

describe('a login code that the mail server defers', () => {
  it('is mailed once, by one of two gateways, when the server accepts it, and logs in', async () => {
    world.inbox.deferring = true;
    const email = 'deferred@example.com';
    const otpId = await start(email);
    const dueInMs = await failNextTry();
    world.inbox.deferring = false;
    pass(dueInMs);
    await eventually(isEmpty);
    expect(mailsTo(email)).toHaveLength(1);
    // Two tries have taken 15 s of the ten minutes.
    expect(mailsTo(email)[0]!.text).toContain('within 9 minutes');
    expect((await complete(email, otpId, world.inbox.lastCode(email))).status).toBe(200);
  });

  it('waits longer after each try, and a minute at most', async () => {
    world.inbox.deferring = true;
    await start('patient@example.com');
    const pauses: number[] = [];
    for (let tries = 1; tries <= 5; tries += 1) pauses.push((await failNextTry()) / 1_000);
    expect(pauses).toEqual([10, 20, 40, 60, 60]);
  });

  it('is not mailed in its last minute, or later', async () => {
    world.inbox.deferring = true;
    const email = 'too-late@example.com';
    await start(email);
    world.inbox.deferring = false;
    pass(9 * MINUTE_MS + 1);
    await eventually(isEmpty);
    expect(mailsTo(email)).toEqual([]);
  });

  it('is dropped when the server rejects it with 5xx', async () => {
    world.inbox.deferring = true;
    const email = 'rejected-later@example.com';
    await start(email);
    world.inbox.deferring = false;
    world.inbox.refusing = true;
    pass(FIRST_RETRY_MS);
    await eventually(isEmpty);
    world.inbox.refusing = false;
    expect(mailsTo(email)).toEqual([]);
  });

  it('counts as a mailed one: the fourth start in ten minutes is refused', async () => {
    world.inbox.deferring = true;
    for (let n = 0; n < 3; n += 1) await start('counted@example.com');
    const fourth = await world.client.post('/connect/start', { email: 'counted@example.com' });
    expect([fourth.status, fourth.body.data.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
  });

  it('fails at once with 502, uncounted, when the queue is full', async () => {
    await world.database.pool.query(
      `with made as (
         insert into otps (otp_id, email, purpose, code_hash, created_at, expires_at)
           select gen_random_uuid(), 'full@example.com', 'login', '', now(), now() + interval '1 day' from generate_series(1, $1)
           returning otp_id)
       insert into mail_queue (otp_id, use, client, is_known, due_at)
         select otp_id, '{"purpose":"login"}', '192.0.2.1', false, now() + interval '1 day' from made`,
      [MAIL_QUEUE_LIMIT],
    );
    world.inbox.deferring = true;
    const statuses: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      statuses.push((await world.client.post('/connect/start', { email: 'unlucky@example.com' })).status);
    }
    expect(statuses).toEqual([502, 502, 502, 502]);
  });
});

it('a login code waits for a mail server that cannot be reached', async () => {
  const alone = await world.start({ smtpUrl: new Secret('smtp://127.0.0.1:1') });
  const email = 'unreachable@example.com';
  const { status, body } = await world.client.at(alone.url).post('/connect/start', { email });
  expect([status, body.message]).toEqual([200, LATER]);
  await alone.stop();
  pass(FIRST_RETRY_MS);
  await eventually(isEmpty);
  expect((await complete(email, body.data.otpId, world.inbox.lastCode(email))).status).toBe(200);
});

describe('a mail that the server takes without a reply', () => {
  afterEach(() => {
    world.inbox.dropping = false;
  });

  it('counts as mailed: nothing is queued, and its code logs in', async () => {
    world.inbox.dropping = true;
    const email = 'unconfirmed@example.com';
    const { status, body } = await world.client.post('/connect/start', { email });
    expect([status, body.message]).not.toEqual([200, LATER]);
    expect([status, await queued()]).toEqual([200, []]);
    expect(mailsTo(email)).toHaveLength(1);
    expect((await complete(email, body.data.otpId, world.inbox.lastCode(email))).status).toBe(200);
  });

  it('is the last one from the queue, too', async () => {
    world.inbox.deferring = true;
    const email = 'unconfirmed-later@example.com';
    const otpId = await start(email);
    world.inbox.deferring = false;
    world.inbox.dropping = true;
    pass(FIRST_RETRY_MS);
    await eventually(isEmpty);
    expect(mailsTo(email)).toHaveLength(1);
    expect((await complete(email, otpId, world.inbox.lastCode(email))).status).toBe(200);
  });
});

describe('a try whose gateway stopped in the middle', () => {
  const hash = Buffer.alloc(32);

  it('is followed by another after its lease, and changes nothing once that has begun', async () => {
    world.inbox.deferring = true;
    const email = 'stopped@example.com';
    const otpId = await start(email);
    const clock = { nowMs: () => nowMs + FIRST_RETRY_MS };
    const queue = new PostgresMailQueue(world.database.pool, RATE_LIMITS, clock);
    const [first] = await queue.takeDue(1, LEASE_MS);
    expect(first).toMatchObject({ otpId, email, tries: 1 });
    expect(await queue.takeDue(1, LEASE_MS)).toEqual([]);
    world.inbox.deferring = false;
    let release = (): void => undefined;
    world.inbox.held = new Promise((resolve) => (release = resolve));
    pass(FIRST_RETRY_MS + LEASE_MS);
    await eventually(queued, ([second]) => second!.tries === 2);
    expect(await queue.replaceCode(first!, hash)).toBe(false);
    await queue.remove(first!);
    expect(await queued()).toHaveLength(1);
    release();
    await eventually(isEmpty);
    expect((await complete(email, otpId, world.inbox.lastCode(email))).status).toBe(200);
  });

  it('mails no code that was used meanwhile', async () => {
    world.inbox.deferring = true;
    const otpId = await start('used@example.com');
    await world.database.pool.query('update otps set used_at = now() where otp_id = $1', [otpId]);
    world.inbox.deferring = false;
    pass(FIRST_RETRY_MS);
    await eventually(isEmpty);
    expect(mailsTo('used@example.com')).toEqual([]);
  });
});
