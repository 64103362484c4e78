import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { policyV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import { expectFailure } from './expect-failure.js';
import { World } from './world.js';
import { ADDRESS, DEFAULT_POLICY, defaultScript } from './default-script.js';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
beforeEach(() => world.reset());
afterAll(() => world.close());

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

describe('POST /connect/start', () => {
  it('mails a code and answers its id', async () => {
    const answer = await world.client.post('/connect/start', { email: 'Mixed.Case@Example.com' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      status: true,
      statusCode: 200,
      message: expect.any(String),
      data: { otpId: expect.stringMatching(UUID), expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) },
    });
    expect(world.inbox.lastCode('mixed.case@example.com')).toMatch(/^\d{6}$/);
  });

  it('gives a 502 when the mail cannot be sent, and kills no older code', async () => {
    const email = 'mailless@example.com';
    const { otpId, code } = await world.otp(email, world.client);
    world.inbox.refusing = true;
    const refused = await world.client.post('/connect/start', { email });
    expect([refused.status, refused.body.data.code]).toEqual([502, 'UPSTREAM_ERROR']);
    expect(refused.text).not.toContain('no more mail today');
    const login = await world.client.post('/connect/complete', { email, otpId, otpCode: code });
    expect(login.status).toBe(200);
  });

  it('does not count a code that was not mailed: a mail outage locks no client out', async () => {
    const email = 'patient@example.com';
    const client = world.client.from('10.9.2.1');
    expect((await client.post('/connect/start', { email })).status).toBe(200);
    world.inbox.refusing = true;
    for (let n = 0; n < 5; n += 1) expect((await client.post('/connect/start', { email })).status).toBe(502);
    world.inbox.refusing = false;
    const statuses: number[] = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await client.post('/connect/start', { email })).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('does not block a client for codes that were not mailed, after others have spent the allowance', async () => {
    const email = 'shared@example.com';
    const [client, other] = [world.client.from('10.9.4.1'), world.client.from('10.9.4.2')];
    await other.post('/connect/start', { email });
    world.inbox.refusing = true;
    for (let n = 0; n < 3; n += 1) await client.post('/connect/start', { email });
    world.inbox.refusing = false;
    for (let n = 0; n < 2; n += 1) await other.post('/connect/start', { email });
    world.clock.aheadMs += 5 * MINUTE_MS;
    const mails = world.inbox.mails.length;
    const lent = await client.post('/connect/start', { email });
    expect(lent.status).toBe(200);
    expect(world.inbox.mails).toHaveLength(mails);
  });

  it('counts mail on its way: not more is tried at once than may be sent, though none of it is', async () => {
    const email = 'impatient@example.com';
    const [client, other] = [world.client.from('10.9.3.1'), world.client.from('10.9.3.2')];
    let release = (): void => undefined;
    world.inbox.held = new Promise((resolve) => (release = resolve));
    world.inbox.refusing = true;
    const first = Array.from({ length: 3 }, () => client.post('/connect/start', { email }));
    await eventually(async () => {
      const { rows } = await world.database.pool.query('select taken from login_pools where email = $1', [email]);
      return rows[0]?.taken === 3;
    });
    for (let n = 0; n < 2; n += 1) expect((await other.post('/connect/start', { email })).status).toBe(429);
    release();
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([502, 502, 502]);
    world.inbox.refusing = false;
    for (let n = 0; n < 3; n += 1) expect((await other.post('/connect/start', { email })).status).toBe(200);
  });

  it('refuses the fourth code in ten minutes, and blocks the client, longer each time', async () => {
    const email = 'greedy@example.com';
    const client = world.client.from('10.9.0.1');
    const blocks: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      for (let n = 0; n < 3; n += 1) expect((await client.post('/connect/start', { email })).status).toBe(200);
      const refused = await client.post('/connect/start', { email });
      expect([refused.status, refused.body.data.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
      expect(refused.headers).toMatchObject({ 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '0' });
      const waitSeconds = Number(refused.headers['retry-after']);
      blocks.push(Math.round(waitSeconds / 60));
      world.clock.aheadMs += (waitSeconds - 2) * SECOND_MS;
      expect((await client.post('/connect/start', { email })).status).toBe(429);
      world.clock.aheadMs += 3 * SECOND_MS;
    }
    expect(blocks).toEqual([10, 60, 360, 1440, 1440]);
  });

  it('blocks no other client, and lifts the block after a login with a code that was sent before', async () => {
    const email = 'owner-and-stranger@example.com';
    const [owner, stranger] = [world.client.from('10.9.1.1'), world.client.from('10.9.1.2')];
    for (let n = 0; n < 4; n += 1) await stranger.post('/connect/start', { email });
    const code = world.inbox.lastCode(email);
    const otpId = (
      await world.database.pool.query('select otp_id from otps where email = $1 order by created_at desc', [email])
    ).rows[0].otp_id;
    world.clock.aheadMs += 5 * MINUTE_MS;
    const login = await stranger.post('/connect/complete', { email, otpId, otpCode: code });
    expect(login.status).toBe(200);
    expect((await stranger.post('/connect/start', { email })).status).toBe(200);

    for (let n = 0; n < 5; n += 1) await stranger.post('/connect/start', { email });
    expect((await stranger.post('/connect/start', { email })).status).toBe(429);
    expect((await owner.post('/connect/start', { email })).status).toBe(200);
  });
});

describe('a stranger who asks for codes for a victim’s address', () => {
  it('does not lock the owner out who has a code: not by asking, not by guessing', async () => {
    const email = 'victim@example.com';
    const [owner, stranger] = [world.client.from('10.9.5.1'), world.client.from('10.9.5.2')];
    const mine = await world.otp(email, owner);
    const wrong = mine.code === '000000' ? '000001' : '000000';
    for (let n = 0; n < 8; n += 1) {
      const { status, body } = await stranger.post('/connect/start', { email });
      expect(status).toBe(n < 3 ? 200 : 429); // the third gets an id of the code that was mailed last
      const otpId = body.data.otpId ?? '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f';
      await stranger.post('/connect/complete', { email, otpId, otpCode: wrong });
    }
    const login = await owner.post('/connect/complete', { email, otpId: mine.otpId, otpCode: mine.code });
    expect(login.status).toBe(200);
    expect((await owner.post('/connect/start', { email })).status).toBe(200);
  });

  it('mails codes that the owner can use from a network that is as unknown', async () => {
    const email = 'victim2@example.com';
    const [owner, stranger] = [world.client.from('10.9.6.1'), world.client.from('10.9.6.2')];
    for (let n = 0; n < 5; n += 1) await stranger.post('/connect/start', { email });
    const mails = world.inbox.mails.length;
    const { otpId, code } = await world.otp(email, owner);
    expect(world.inbox.mails).toHaveLength(mails);
    expect((await owner.post('/connect/complete', { email, otpId, otpCode: code })).status).toBe(200);
  });
});

describe('POST /connect/complete', () => {
  it('makes a new agent with wallet, policy and session', async () => {
    const email = 'new@example.com';
    const made: string[] = [];
    world.script.wallet.createWallet = async ({ agentId }) => {
      made.push(agentId);
      return { address: ADDRESS, created: true };
    };
    const first = await world.otp(email, world.client);
    const answer = await world.client.post('/connect/complete', { email, otpId: first.otpId, otpCode: first.code });
    expect(answer.body).toEqual({
      status: true,
      statusCode: 200,
      message: expect.any(String),
      data: {
        sessionToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        expiresAt: expect.any(String),
        chainAddress: ADDRESS,
        solanaAddress: ADDRESS,
        isNewUser: true,
      },
    });
    const hours = (Date.parse(answer.body.data.expiresAt) - world.clock.nowMs()) / 3_600_000;
    expect(hours).toBeGreaterThan(167.9);
    expect(hours).toBeLessThanOrEqual(168);

    const again = await world.otp(email, world.client);
    const second = await world.client.post('/connect/complete', { email, otpId: again.otpId, otpCode: again.code });
    expect(second.body.data.isNewUser).toBe(false);
    expect(made).toHaveLength(1);
  });

  it('takes a right code once, even when it is sent five times at the same instant', async () => {
    const email = 'twice@example.com';
    const { otpId, code } = await world.otp(email, world.client);
    const send = () => world.client.post('/connect/complete', { email, otpId, otpCode: code });
    const statuses = (await Promise.all(Array.from({ length: 5 }, send))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 401, 401, 401, 401]);
  });

  it('counts five of six parallel guesses and refuses the sixth', async () => {
    const email = 'guessed@example.com';
    const { otpId, code } = await world.otp(email, world.client);
    const wrong = code === '000000' ? '000001' : '000000';
    const guesses = Array.from({ length: 6 }, () =>
      world.client.post('/connect/complete', { email, otpId, otpCode: wrong }),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([401, 401, 401, 401, 401, 429]);
    const late = await world.client.post('/connect/complete', { email, otpId, otpCode: code });
    expectFailure(late, 429, 'RATE_LIMIT_EXCEEDED');
    expect(late.body.message).toBe('More than 5 tries at this login code. Ask for a new code.');
    const answered = { scope: 'otp', limit: 5, windowSeconds: 600, retry: 'never', retryable: false, retryAt: null };
    expect(late.body.data).toMatchObject(answered);
  });

  it('takes the right code at the fifth try', async () => {
    const email = 'fifth@example.com';
    const { otpId, code } = await world.otp(email, world.client);
    const wrong = code === '000000' ? '000001' : '000000';
    for (let n = 0; n < 4; n += 1) {
      const refused = await world.client.post('/connect/complete', { email, otpId, otpCode: wrong });
      expectFailure(refused, 401, 'AUTHENTICATION_ERROR');
      expect(refused.body.data).toMatchObject({ reason: 'wrong_code', retry: 'never' });
    }
    expect((await world.client.post('/connect/complete', { email, otpId, otpCode: code })).status).toBe(200);
  });

  it('refuses a malformed code without using up a try', async () => {
    const email = 'malformed@example.com';
    const { otpId, code } = await world.otp(email, world.client);
    for (const otpCode of ['12345', '1234567', 'abcdef', 123456, '', '１２３４５６']) {
      const answer = await world.client.post('/connect/complete', { email, otpId, otpCode });
      expect([answer.status, answer.body.data.details[0].field]).toEqual([400, 'otpCode']);
    }
    expect((await world.client.post('/connect/complete', { email, otpId, otpCode: code })).status).toBe(200);
  });

  it.each([
    ['good a second before its ten minutes are over', -SECOND_MS, 200],
    ['worthless a second after', SECOND_MS, 401],
  ])('takes a code for ten minutes: it is %s', async (_, afterMs, status) => {
    const email = `edge${status}@example.com`;
    const nowMs = world.clock.nowMs();
    world.clock.stopAt(nowMs);
    const started = await world.client.post('/connect/start', { email });
    expect(Date.parse(started.body.data.expiresAt)).toBe(nowMs + 10 * MINUTE_MS);
    world.clock.stopAt(nowMs + 10 * MINUTE_MS + afterMs);
    const { otpId } = started.body.data;
    const answer = await world.client.post('/connect/complete', { email, otpId, otpCode: world.inbox.lastCode(email) });
    expect(answer.status).toBe(status);
  });

  it('refuses a code at another address and at an unknown id', async () => {
    const email = 'late@example.com';
    const { otpId, code } = await world.otp(email, world.client);
    const elsewhere = await world.client.post('/connect/complete', { email: 'x@example.com', otpId, otpCode: code });
    expect(elsewhere.status).toBe(401);
    const unknown = { email, otpId: '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f', otpCode: code };
    for (let n = 0; n < 5; n += 1) expect((await world.client.post('/connect/complete', unknown)).status).toBe(401);
    expect((await world.client.post('/connect/complete', unknown)).status).toBe(429);
    expect((await world.client.post('/connect/complete', { email, otpId, otpCode: code })).status).toBe(200);
  });

  it('keeps three codes usable; a fourth kills the oldest', async () => {
    const email = 'many@example.com';
    const generous = world.client.at(
      (await world.start({ rateLimits: { ...world.settings.rateLimits, otpsPerTenMinutes: 10 } })).url,
    );
    const codes: Array<{ otpId: string; code: string }> = [];
    for (let n = 0; n < 4; n += 1) codes.push(await world.otp(email, generous));
    const statuses: number[] = [];
    for (const { otpId, code } of codes) {
      statuses.push((await generous.post('/connect/complete', { email, otpId, otpCode: code })).status);
    }
    expect(statuses).toEqual([401, 200, 200, 200]);
  });

  it.each(['wallet', 'policy'] as const)('lets a login be repeated when %s failed', async (service) => {
    const email = `${service}-failed@example.com`;
    const { otpId, code } = await world.otp(email, world.client);
    const login = () => world.client.post('/connect/complete', { email, otpId, otpCode: code });
    const fail = async () => {
      throw new AppError('SERVICE_UNAVAILABLE');
    };
    const working = defaultScript();
    if (service === 'wallet') world.script.wallet.createWallet = fail;
    else world.script.policy.createPolicy = fail;
    for (let n = 0; n < 7; n += 1) expect((await login()).status).toBe(503);
    world.script.wallet.createWallet = async (request) => working.wallet.createWallet(request);
    world.script.policy.createPolicy = async (request) => working.policy.createPolicy(request);
    const answer = await login();
    expect([answer.status, answer.body.data.isNewUser]).toEqual([200, true]);
    expect((await login()).status).toBe(401);
  });

  it('gives no token by mail where the owner allows none, says so to the holder of a code alone, and refreshes sessions', async () => {
    const { email, agentId, client } = await world.login();
    const sessions = async () =>
      (await world.database.pool.query('select * from sessions where agent_id = $1', [agentId])).rows;
    const before = await sessions();
    const { createPolicy } = world.script.policy;
    const { otpId, code } = await world.otp(email, world.client);
    const login = (otpCode: string) => world.client.post('/connect/complete', { email, otpId, otpCode });
    const closed = async () => ({ policy: { ...DEFAULT_POLICY, allowMailLogin: false } });
    Object.assign(world.script.policy, { createPolicy: closed, getPolicy: closed });
    expectFailure(await login(code === '000000' ? '111111' : '000000'), 401, 'AUTHENTICATION_ERROR');
    const refused = await login(code);
    expectFailure(refused, 403, 'OWNER_REQUIRED');
    expect(refused.body.data).toMatchObject({ suggestion: expect.stringContaining('allowMailLogin'), retry: 'never' });
    expect(refused.text).not.toContain('sessionToken');
    expect(await sessions()).toEqual(before);
    expect((await client.post('/connect/refresh')).status).toBe(200);
    world.script.policy.createPolicy = createPolicy;
    expect((await login(code)).status).toBe(200);
  });

  it('shows policy one mailbox for all tags of an address, with every login, and no address', async () => {
    const { createPolicy } = world.script.policy;
    const asked: policyV1.CreatePolicyRequest[] = [];
    world.script.policy.createPolicy = (request, ...more) => {
      asked.push(request);
      return createPolicy(request, ...more);
    };
    for (const email of ['mia@example.com', 'mia+a@example.com', 'mia+a@example.com', 'm.ia@example.com']) {
      await world.tokenFor(email, world.client);
    }
    const ids = asked.map(({ mailboxId }) => Buffer.from(mailboxId!).toString('hex'));
    expect(ids.map((id) => ids.indexOf(id))).toEqual([0, 0, 0, 3]);
    expect(new Set(asked.map(({ agentId }) => agentId)).size).toBe(3);
    expect(ids[0]).toHaveLength(64);
    expect(JSON.stringify(asked)).not.toContain('mia');
  });

  it('lets a login be repeated whose process died on the way', async () => {
    const email = 'died@example.com';
    const { otpId, code } = await world.otp(email, world.client);
    // What a process leaves that claimed the code and died.
    await world.database.pool.query(
      `update otps set claimed_by = gen_random_uuid(), claimed_until = clock_timestamp() + interval '1 second'
       where otp_id = $1`,
      [otpId],
    );
    expect((await world.client.post('/connect/complete', { email, otpId, otpCode: code })).status).toBe(200);
  });
});
