import { policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { approval, Browser, FakeOwners, ORIGIN, REGISTRATION } from './owner-console.js';
import { RATE_LIMITS, World } from './world.js';

const { ApprovalState } = policyV1;

let world: World;
let fake: FakeOwners;
let browser: Browser;
let people = 0;
let email: string;

beforeAll(async () => {
  world = await World.open({ ownerOrigin: ORIGIN });
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  fake = new FakeOwners(world);
  people += 1;
  email = `mailed${people}@example.com`;
  browser = new Browser(world.client.from(`10.7.0.${people}`));
});

const withPasskey = () => browser.openWithPasskey(world, email);

describe('a session by mail of an owner who has a passkey', () => {
  it('looks, freezes, evicts, rejects and tightens', async () => {
    const ownerId = await withPasskey();
    const { agentId } = await world.login();
    fake.agents.push({ ownerId, agentId });
    const pending = approval({ agentId, ownerId });
    Object.assign(world.script.owners, {
      freezeAgent: async () => ({ changed: true }),
      forgetRecipient: async () => ({ changed: true }),
      listApprovals: async () => ({ approvals: [pending], nextCursor: '' }),
      closeApproval: async () => ({ approval: { ...pending, state: ApprovalState.APPROVAL_STATE_REJECTED } }),
    });
    const mailed = new Browser(browser.client);
    expect((await mailed.logInByMail(world, email)).body.data).toMatchObject({ passkeyRequired: true });
    expect((await mailed.get('/owner/me')).body.data).toMatchObject({ authenticatedBy: 'mail', passkeys: [{}] });
    const path = `/owner/agents/${agentId}`;
    const loosening = await mailed.call('PATCH', `${path}/policy`, { dailyLimitInUsd: 9_000 });
    expect([loosening.status, loosening.body.data.reason]).toEqual([401, 'passkey_required']);
    expect(fake.count('requestApproval')).toBe(0);
    const trust = await mailed.post(`/owner/approvals/${pending.approvalId}/trust`, { trust: 'always' });
    expect([trust.status, trust.body.data.reason]).toEqual([401, 'passkey_required']);
    Object.assign(world.script.owners, { tightenPolicy: () => world.script.policy.getPolicy({ agentId }) });
    const answers = [
      await mailed.get('/owner/agents'),
      await mailed.get(path),
      await mailed.get(`${path}/history`),
      await mailed.get('/owner/approvals'),
      await mailed.post(`${path}/freeze`),
      await mailed.post(`${path}/evict`),
      await mailed.call('DELETE', `${path}/recipients/${newId()}`),
      await mailed.post(`/owner/approvals/${pending.approvalId}/reject`),
      await mailed.call('PATCH', `${path}/policy`, { dailyLimitInUsd: 1 }),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });

  it('uses up no request that a session by passkey needs', async () => {
    await withPasskey();
    const mailed = new Browser(browser.client);
    await mailed.logInByMail(world, email);
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429) statuses.push((await mailed.get('/owner/me')).status);
    // Two requests before this loop made the passkey.
    expect(statuses).toHaveLength(RATE_LIMITS.ownerPerMinute - 1);
    expect((await browser.get('/owner/me')).status).toBe(200);
    expect((await mailed.post('/owner/passkeys/options')).status).toBe(429);
    // What a session by mail may not do is refused before it counts.
    expect((await mailed.post('/owner/claims/start', { agentEmail: email })).status).toBe(401);
  });

  it('replaces a lost passkey by a request within ten minutes of the login', async () => {
    const ownerId = await withPasskey();
    const mailed = new Browser(browser.client);
    const startedMs = world.clock.nowMs();
    world.clock.stopAt(startedMs);
    await mailed.logInByMail(world, email);
    expect((await mailed.post('/owner/recovery/start')).status).toBe(200);
    world.clock.stopAt(startedMs + 10 * 60_000);
    const late = await mailed.post('/owner/recovery', { registration: REGISTRATION });
    expect([late.status, late.body.data.reason]).toEqual([401, 'login_too_old']);
    expect(fake.count('addPasskey')).toBe(1);
    world.clock.stopAt(startedMs + 10 * 60_000 - 1);
    const inTime = await mailed.post('/owner/recovery', { registration: REGISTRATION });
    expect([inTime.status, inTime.body.data.approval.state]).toEqual([202, 'pending']);
    expect(fake.calls.at(-1)).toMatchObject({ method: 'addPasskey', request: { ownerId, recovers: true } });
  });
});
