import { AppError } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { expectFailure } from './expect-failure.js';
import { ROUTES } from '../src/api/routes.js';
import { isOfOwners } from '../src/api/route.js';
import { ASSERTION, Browser, FakeOwners, LOGIN_DOCUMENT, ORIGIN, REGISTRATION } from './owner-console.js';
import { World } from './world.js';

const MINUTE_MS = 60_000;

let world: World;
let fake: FakeOwners;
let browser: Browser;
let people = 0;
let email: string;

beforeAll(async () => {
  world = await World.open({ ownerOrigin: ORIGIN }, { finishEvictionsEveryMs: 50 });
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  fake = new FakeOwners(world);
  people += 1;
  email = `person${people}@example.com`;
  browser = new Browser(world.client.from(`10.9.0.${people}`));
});

/** Another browser, of the same network. */
const another = (origin: string | undefined = ORIGIN) => new Browser(browser.client, origin);

const withPasskey = () => browser.openWithPasskey(world, email);
const requestClaim = (agentEmail: string, more?: object) => browser.requestClaim(world, agentEmail, more);
const concrete = (path: string) => path.replace(/\{\w+\}/, '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f');
/** Node's client sends a body with these verbs only. */
const bodyOf = (method: string) => (['POST', 'PATCH'].includes(method) ? {} : undefined);
const sign = (id: string) => browser.post(`/owner/approvals/${id}/approve`, { assertion: ASSERTION });

describe('an owner’s session', () => {
  it('begins with a mailed code, in a cookie that scripts and other sites do not get', async () => {
    const answer = await browser.logInByMail(world, email);
    expect(answer).toMatchObject({
      status: 200,
      body: { data: { owner: { email }, passkeyRequired: false } },
      headers: { 'set-cookie': [expect.stringMatching(/^__Secure-owner=[\w-]{43}; /)] },
    });
    expect(answer.headers['set-cookie']![0]!.split('; ').slice(1)).toEqual([
      ...['Max-Age=43200', 'Path=/owner', 'HttpOnly', 'SameSite=Strict', 'Secure'],
    ]);
    expect(answer.text).not.toContain(browser.cookie.split('=')[1]);
    const me = await browser.get('/owner/me');
    expect(me.body.data).toMatchObject({ owner: { email }, authenticatedBy: 'mail', passkeys: [] });
  });

  it('keeps the hash of its token only', async () => {
    await browser.logInByMail(world, email);
    const { rows } = await world.database.pool.query<{ text: string }>(
      `select owner_sessions::text || encode(token_hash, 'escape') as text from owner_sessions`,
    );
    expect(rows.map(({ text }) => text).join()).not.toContain(browser.cookie.split('=')[1]);
  });

  it('has a cookie without TLS on http://localhost alone', async () => {
    const { url } = await world.start({ ownerOrigin: 'http://localhost:3000' });
    const local = new Browser(browser.client.at(url), 'http://localhost:3000');
    const answer = await local.logInByMail(world, email);
    expect(answer.headers['set-cookie']![0]).toMatch(
      /^owner=[^;]+; Max-Age=43200; Path=\/owner; HttpOnly; SameSite=Strict$/,
    );
    expect((await local.get('/owner/me')).status).toBe(200);
  });

  it.each([
    ['half an hour without a request', 29, 31],
    ['twelve hours in any case', 29, 719],
  ])('ends after %s', async (_, stepMinutes, endMinutes) => {
    await browser.logInByMail(world, email);
    const startedMs = world.clock.nowMs();
    if (endMinutes > 60) {
      for (let passed = stepMinutes; passed < endMinutes; passed += stepMinutes) {
        world.clock.stopAt(startedMs + passed * MINUTE_MS);
        expect((await browser.get('/owner/me')).status).toBe(200);
      }
      world.clock.stopAt(startedMs + 721 * MINUTE_MS);
    } else {
      world.clock.stopAt(startedMs + endMinutes * MINUTE_MS);
    }
    expectFailure(await browser.get('/owner/me'), 401, 'AUTHENTICATION_ERROR');
  });

  it('ends with a logout, on the server too', async () => {
    await browser.logInByMail(world, email);
    const { cookie } = browser;
    expect((await browser.post('/owner/logout')).headers['set-cookie']![0]).toMatch(/^__Secure-owner=; Max-Age=0; /);
    browser.cookie = cookie;
    expect((await browser.get('/owner/me')).body.data).toMatchObject({ reason: 'expired' });
  });

  it('is not taken from two cookies: another host of the site may have set one', async () => {
    await browser.logInByMail(world, email);
    browser.cookie = `${browser.cookie}; __Secure-owner=AAAA`;
    expect((await browser.get('/owner/me')).body.data).toMatchObject({ reason: 'missing' });
  });
});

describe('a page of another site (cross-site request forgery, look-alike site)', () => {
  const WRITES = ROUTES.filter((contract) => isOfOwners(contract) && contract.method !== 'GET');

  it.each([
    ['a foreign page', 'https://evil.example'],
    ['a look-alike', 'https://owner.example.com.evil.example'],
    ['another host of our site', 'https://api.example.com'],
    ['the console without TLS', 'http://owner.example.com'],
    ['a frame without an origin', 'null'],
    ['a client that names none', undefined],
  ])('writes nothing: %s', async (_, origin) => {
    await withPasskey();
    const calls = fake.calls.length;
    const foreign = another(origin);
    foreign.origin = origin;
    foreign.cookie = browser.cookie;
    for (const { method, path } of WRITES) {
      const answer = await foreign.call(method, concrete(path), bodyOf(method));
      expectFailure(answer, 401, 'AUTHENTICATION_ERROR');
      expect(answer.body.data).toMatchObject({ reason: 'wrong_origin', retry: 'never' });
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
    expect(fake.calls.length).toBe(calls);
    expect((await browser.get('/owner/me')).status).toBe(200);
  });

  it('may not ask a browser to read or send for it; the console may, on /owner alone', async () => {
    const preflight = (path: string, origin: string) =>
      browser.client.call('OPTIONS', path, { headers: { origin, 'access-control-request-method': 'PATCH' } });
    const path = '/owner/agents/01938f6e-5b7a-7cc3-98c4-dc0c0c07398f/policy';
    expect(await preflight(path, ORIGIN)).toMatchObject({
      status: 204,
      headers: {
        ...{ 'access-control-allow-origin': ORIGIN, 'access-control-allow-credentials': 'true', vary: 'Origin' },
        ...{ 'access-control-allow-methods': 'GET, PATCH, HEAD', 'access-control-allow-headers': 'content-type' },
      },
    });
    for (const refused of [preflight(path, 'https://evil.example'), preflight('/wallets/me/policy', ORIGIN)]) {
      const { status, headers } = await refused;
      expect([status, headers['access-control-allow-origin']]).toEqual([405, undefined]);
    }
    const read = await another('https://evil.example').get('/owner/login/challenge');
    expect(read.headers['access-control-allow-origin']).toBeUndefined();
    expectFailure(read, 401, 'AUTHENTICATION_ERROR');
    expect(fake.count('createLoginChallenge')).toBe(0);
    expect((await browser.client.get('/owner/login/challenge')).status).toBe(200);
    const own = await browser.get('/owner/login/challenge');
    expect(own.headers).toMatchObject({
      ...{ 'access-control-allow-origin': ORIGIN, 'access-control-expose-headers': 'Retry-After' },
    });
  });
});

describe('a code', () => {
  it('works for what it was mailed for: login of an agent, login of an owner', async () => {
    const { otpId, code: otpCode } = await world.otp(email, browser.client);
    const asOwner = await browser.post('/owner/login/complete', { email, otpId, otpCode });
    expect(asOwner.body.data).toMatchObject({ code: 'AUTHENTICATION_ERROR', reason: 'wrong_code' });
    expect((await browser.client.post('/connect/complete', { email, otpId, otpCode })).status).toBe(200);
    const mailed = (await browser.post('/owner/login/start', { email })).body.data as { otpId: string };
    const login = { email, otpId: mailed.otpId, otpCode: world.inbox.lastCode(email) };
    expect((await browser.client.post('/connect/complete', login)).body.data).toMatchObject({ reason: 'wrong_code' });
    expect((await browser.post('/owner/login/complete', login)).status).toBe(200);
  });

  it('stays good while policy is away', async () => {
    const { otpId } = (await browser.post('/owner/login/start', { email })).body.data as { otpId: string };
    const login = { email, otpId, otpCode: world.inbox.lastCode(email) };
    const { listPasskeys } = world.script.owners;
    world.script.owners.listPasskeys = () => Promise.reject(new AppError('SERVICE_UNAVAILABLE'));
    expectFailure(await browser.post('/owner/login/complete', login), 503, 'SERVICE_UNAVAILABLE');
    world.script.owners.listPasskeys = listPasskeys!;
    expect((await browser.post('/owner/login/complete', login)).status).toBe(200);
  });

  it('of a claim works for the owner who asked, and logs no one in', async () => {
    const { email: agentEmail } = await world.login();
    await withPasskey();
    const { otpId } = (await browser.post('/owner/claims/start', { agentEmail })).body.data as { otpId: string };
    const claim = { agentEmail, otpId, otpCode: world.inbox.lastCode(agentEmail) };
    const login = { email: agentEmail, otpId, otpCode: claim.otpCode };
    expect((await browser.client.post('/connect/complete', login)).status).toBe(401);
    expect((await browser.post('/owner/login/complete', login)).status).toBe(401);
    const mine = browser;
    browser = another();
    email = `thief${people}@example.com`;
    await withPasskey();
    expect((await browser.post('/owner/claims', claim)).body.data).toMatchObject({ reason: 'wrong_code' });
    expect((await mine.post('/owner/claims', claim)).status).toBe(202);
    expect((await mine.post('/owner/claims', claim)).body.data).toMatchObject({ reason: 'wrong_code' });
    expect(fake.count('requestApproval')).toBe(1);
  });

  it('of a claim says in its mail who would become the owner', async () => {
    const { email: agentEmail } = await world.login();
    await withPasskey();
    await browser.post('/owner/claims/start', { agentEmail });
    const mail = world.inbox.mails.findLast(({ to }) => to === agentEmail)!;
    expect(mail.text.replaceAll(/=?\r\n/g, ' ')).toContain(email);
  });
});

describe('where the owner has a passkey', () => {
  it('mail alone adds no passkey, claims nothing, and opens the login by passkey', async () => {
    const ownerId = await withPasskey();
    const mailed = another();
    await mailed.logInByMail(world, email);
    const answers = [
      await mailed.post('/owner/passkeys/options'),
      await mailed.post('/owner/passkeys', { registration: REGISTRATION }),
      await mailed.post('/owner/claims/start', { agentEmail: email }),
    ];
    for (const { status, body } of answers) expect([status, body.data.reason]).toEqual([401, 'passkey_required']);
    expect(fake.count('addPasskey')).toBe(1);
    const { cookie } = mailed;
    fake.signer = ownerId;
    expect((await mailed.post('/owner/login/passkey', { document: LOGIN_DOCUMENT, assertion: ASSERTION })).status).toBe(
      200,
    );
    expect((await mailed.get('/owner/me')).body.data).toMatchObject({ authenticatedBy: 'passkey' });
    mailed.cookie = cookie;
    expect((await mailed.get('/owner/me')).body.data).toMatchObject({ reason: 'expired' });
  });

  it('the first passkey ends the sessions that mails opened, and needs a mail of the last ten minutes', async () => {
    const intruder = another();
    await intruder.logInByMail(world, email);
    await browser.logInByMail(world, email);
    world.clock.aheadMs = 11 * MINUTE_MS;
    const late = await browser.post('/owner/passkeys', { registration: REGISTRATION });
    expect(late.body.data).toMatchObject({ code: 'AUTHENTICATION_ERROR', reason: 'login_too_old' });
    expect(fake.count('addPasskey')).toBe(0);
    await withPasskey();
    expect((await intruder.get('/owner/me')).body.data).toMatchObject({ reason: 'expired' });
    expect((await browser.get('/owner/me')).body.data).toMatchObject({ authenticatedBy: 'passkey' });
  });

  it('a second passkey waits for a signature', async () => {
    await withPasskey();
    await browser.post('/owner/passkeys/options');
    const answer = await browser.post('/owner/passkeys', { registration: REGISTRATION });
    expect(answer).toMatchObject({ status: 202, body: { data: { approval: { state: 'pending' } } } });
  });
});

describe('a claim', () => {
  it('ends the agent’s earlier sessions before the signature is answered', async () => {
    const agent = await world.login();
    await withPasskey();
    const asked = await requestClaim(agent.email);
    expect(asked).toMatchObject({ status: 202, body: { data: { approval: { kind: 'claim', state: 'pending' } } } });
    expect((await agent.client.get('/wallets/me/balances')).status).toBe(200);
    const { id } = asked.body.data.approval as { id: string };
    expect((await sign(id)).body.data).toMatchObject({ approval: { id, state: 'applied' } });
    expect((await agent.client.get('/wallets/me/balances')).body.data).toMatchObject({ reason: 'revoked' });
  });

  it('leaves them where the owner has signed so', async () => {
    const agent = await world.login();
    await withPasskey();
    const asked = await requestClaim(agent.email, { keepSessions: true });
    await sign(asked.body.data.approval.id as string);
    expect((await agent.client.get('/wallets/me/balances')).status).toBe(200);
  });

  it('ends them also when the answer of its signature was lost, once the vote must be over', async () => {
    const agent = await world.login();
    await withPasskey();
    const asked = await requestClaim(agent.email);
    fake.losesAnswers = true;
    expect((await sign(asked.body.data.approval.id as string)).status).toBe(503);
    expect((await agent.client.get('/wallets/me/balances')).status).toBe(200);
    // A claim that policy has lost with its database is due before it.
    const due = `select gen_random_uuid(), agent_id, owner_id, due_at - interval '1 second' from claim_evictions`;
    await world.database.pool.query(`insert into claim_evictions (approval_id, agent_id, owner_id, due_at) ${due}`);
    world.clock.aheadMs = 31_000;
    await eventually(async () => (await world.database.pool.query('select from claim_evictions')).rowCount === 0);
    expect((await agent.client.get('/wallets/me/balances')).status).toBe(401);
  });

  it('needs no code for the owner’s own address while a login by mail has just proven it', async () => {
    const agent = await world.login();
    email = agent.email;
    await withPasskey();
    expect((await browser.post('/owner/claims', { agentEmail: email })).status).toBe(202);
    expect((await browser.post('/owner/claims', { agentEmail: 'other@example.com' })).body.data.details).toMatchObject([
      { field: 'otpCode', problem: 'required' },
    ]);
    world.clock.aheadMs = 11 * MINUTE_MS;
    expect((await browser.post('/owner/claims', { agentEmail: email })).status).toBe(400);
  });

  it('cannot be made with a stolen token of the agent', async () => {
    const thief = await world.login();
    for (const { method, path, auth } of ROUTES.filter(isOfOwners)) {
      if (auth === 'console') continue;
      const sent = { headers: { origin: ORIGIN }, body: bodyOf(method) };
      const answer = await thief.client.call(method, concrete(path), sent);
      expect([answer.status, answer.body.data.reason]).toEqual([401, 'missing']);
    }
    expect(fake.calls).toEqual([]);
  });

  it('of an address without an agent is refused after its code, which stays good', async () => {
    await withPasskey();
    expectFailure(await requestClaim('nothing@example.com'), 404, 'NOT_FOUND');
    expect(fake.count('requestApproval')).toBe(0);
  });
});

describe('an agent of another', () => {
  it('is not found: neither evicted nor changed', async () => {
    const agent = await world.login();
    await withPasskey();
    for (const [method, path] of [
      ['POST', 'evict'],
      ['PATCH', 'policy'],
    ] as const) {
      const answer = await browser.call(method, `/owner/agents/${agent.agentId}/${path}`, {});
      expect([answer.status, answer.body.data.resource]).toEqual([404, 'agent']);
    }
    expect((await browser.post('/owner/agents/me/evict')).status).toBe(404);
    expect((await browser.get('/owner/approvals/01938f6e-5b7a-7cc3-98c4-dc0c0c07398f')).status).toBe(404);
    expect((await agent.client.get('/wallets/me/balances')).status).toBe(200);
  });

  it('of oneself can be evicted at once: its stolen token is dead', async () => {
    const agent = await world.login();
    const ownerId = await withPasskey();
    fake.agents.push({ ownerId, agentId: agent.agentId });
    const { agents } = (await browser.get('/owner/agents')).body.data as { agents: unknown };
    expect(agents).toMatchObject([{ id: agent.agentId, email: agent.email, role: 'owner' }]);
    expect((await browser.post(`/owner/agents/${agent.agentId}/evict`)).body.data).toEqual({ ended: 1 });
    expect((await agent.client.get('/wallets/me/balances')).body.data).toMatchObject({ reason: 'revoked' });
  });
});

describe('a flood', () => {
  it('of rejected passkey logins from one network ends, and a good signature passes', async () => {
    const { url } = await world.start({ rateLimits: { ...world.settings.rateLimits, passkeysPerTenMinutes: 2 } });
    const flooding = new Browser(browser.client.at(url));
    const ask = () => flooding.get('/owner/login/challenge');
    const login = () => flooding.post('/owner/login/passkey', { document: LOGIN_DOCUMENT, assertion: ASSERTION });
    for (let n = 0; n < 3; n += 1) expect((await ask()).status).toBe(200);
    const ownerId = await withPasskey();
    for (let n = 0; n < 2; n += 1) expect((await login()).status).toBe(401);
    const refused = await login();
    expect(refused.body.data).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      scope: 'client',
      limit: 2,
      windowSeconds: 600,
    });
    fake.signer = ownerId;
    for (let n = 0; n < 3; n += 1) expect((await login()).status).toBe(200);
  });

  it('of requests of one owner ends, from any network', async () => {
    const { url } = await world.start({ rateLimits: { ...world.settings.rateLimits, ownerPerMinute: 2 } });
    await browser.logInByMail(world, email);
    const elsewhere = new Browser(world.client.from('10.8.0.1').at(url));
    elsewhere.cookie = browser.cookie;
    const answers = [
      await elsewhere.get('/owner/me'),
      await elsewhere.get('/owner/me'),
      await elsewhere.get('/owner/me'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers[2]!.body.data).toMatchObject({ scope: 'owner', limit: 2 });
  });
});

it('a gateway whose OWNER_ORIGIN is not that of policy opens no logins', async () => {
  const { url } = await world.start({ ownerOrigin: 'https://other.example.com' });
  const elsewhere = new Browser(browser.client.at(url), 'https://other.example.com');
  expectFailure(await elsewhere.get('/owner/login/challenge'), 503, 'SERVICE_UNAVAILABLE');
});

it('without OWNER_ORIGIN an agent’s proposals have one clear error, and nothing else changes', async () => {
  const { url } = await world.start({ ownerOrigin: undefined });
  const agent = (await world.login()).client.at(url);
  const proposal = { changes: { dailyLimitInUsd: 900 } };
  for (const answer of [
    await agent.post('/wallets/me/policy/proposals', proposal),
    await agent.get('/wallets/me/approvals'),
    await new Browser(browser.client.at(url)).post('/owner/login/start', { email }),
  ]) {
    expectFailure(answer, 501, 'OWNERS_NOT_CONFIGURED');
    expect(answer.body.data).toMatchObject({ retry: 'never', retryable: false });
  }
  expect((await agent.get('/wallets/me/policy')).status).toBe(200);
  expect(fake.calls).toEqual([]);
});
