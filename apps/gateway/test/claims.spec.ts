import { policyV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from './client.js';
import { expectFailure } from './expect-failure.js';
import { ASSERTION, Browser, FakeOwners, ORIGIN } from './owner-console.js';
import { World } from './world.js';

const { ApprovalState } = policyV1;
const HOUR_MS = 3_600_000;
const SOL = { mint: '', symbol: 'SOL', amount: 1n, decimals: 9 };

let world: World;
let fake: FakeOwners;
let people = 0;
let client: Client;

beforeAll(async () => {
  world = await World.open({ ownerOrigin: ORIGIN }, { finishEvictionsEveryMs: 50 });
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  fake = new FakeOwners(world);
  people += 1;
  client = world.client.from(`10.7.0.${people}`);
});

const requests = <T>(method: string) =>
  fake.calls.flatMap((call) => (call.method === method ? [call.request as T] : []));
const statusAt = async (agent: Client) => (await agent.post('/connect/validate')).status;

/** Asks for a code and sends it to a route. */
async function withCode(email: string, purpose: string, path: string) {
  const started = await client.post('/connect/start', { email, purpose });
  if (started.status !== 200) return started;
  const { otpId } = started.body.data as { otpId: string };
  return client.post(path, { email, otpId, otpCode: world.inbox.lastCode(email) });
}

const cancel = (email: string) => withCode(email, 'cancel_claim', '/connect/claims/cancel');

async function newOwner(): Promise<Browser> {
  const browser = new Browser(client);
  await browser.openWithPasskey(world, `person${people}@example.com`);
  return browser;
}

it('a claim is requested with the wallet and the mailbox of the agent', async () => {
  const { email, agentId, client: agent } = await world.login();
  const { solanaAddress: wallet } = (await agent.get('/wallets/me')).body.data;
  const browser = await newOwner();
  expect((await browser.requestClaim(world, email)).status).toBe(202);
  expect(requests('requestApproval')).toMatchObject([{ request: { value: { agentId, wallet, email } } }]);
});

describe('the mailbox of an agent', () => {
  it('cancels its claims by a code', async () => {
    const { email, agentId } = await world.login();
    const answer = await cancel(email);
    expect(answer).toMatchObject({ status: 200, body: { data: { cancelled: 1 } } });
    expect(requests('cancelClaims')).toEqual([{ agentId }]);
  });

  it('cancels them by no other code, and logs in by none of these', async () => {
    const { email } = await world.login();
    for (const purpose of ['login', 'evict']) {
      expectFailure(await withCode(email, purpose, '/connect/claims/cancel'), 401, 'AUTHENTICATION_ERROR');
    }
    for (const path of ['/connect/complete', '/connect/evict']) {
      expectFailure(await withCode(email, 'cancel_claim', path), 401, 'AUTHENTICATION_ERROR');
    }
    expect(requests('cancelClaims')).toEqual([]);
  });

  it('gets the same answer for an address without an agent as for a wrong code', async () => {
    const answer = await cancel(`none${people}@example.com`);
    expect(answer).toMatchObject({ status: 401, body: { data: { reason: 'wrong_code' } } });
  });

  it('gets a code to cancel also when a stranger has used up the others', async () => {
    const { email } = await world.login();
    const stranger = world.client.from('10.8.0.1');
    const statuses = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await stranger.post('/connect/start', { email })).status);
    expect(statuses.at(-1)).toBe(429);
    expect((await cancel(email)).status).toBe(200);
  });

  it('keeps a code that policy could not act on', async () => {
    const { email } = await world.login();
    const { data } = (await client.post('/connect/start', { email, purpose: 'cancel_claim' })).body;
    const body = { email, otpId: data.otpId as string, otpCode: world.inbox.lastCode(email) };
    const { cancelClaims } = world.script.owners;
    world.script.owners.cancelClaims = () => Promise.reject(new AppError('SERVICE_UNAVAILABLE'));
    expect((await client.post('/connect/claims/cancel', body)).status).toBe(503);
    world.script.owners.cancelClaims = cancelClaims;
    expect((await client.post('/connect/claims/cancel', body)).status).toBe(200);
    expectFailure(await client.post('/connect/claims/cancel', body), 401, 'AUTHENTICATION_ERROR');
  });
});

describe('a claim', () => {
  it.each([
    ['of a wallet that holds nothing', true, () => Promise.resolve({ sol: { ...SOL, amount: 0n }, tokens: [] })],
    ['of a wallet that holds a lamport', false, () => Promise.resolve({ sol: SOL, tokens: [] })],
    ['of a wallet that holds a token', false, () => Promise.resolve({ sol: undefined, tokens: [SOL] })],
    ['of a wallet that cannot be read', false, () => Promise.reject(new AppError('SERVICE_UNAVAILABLE'))],
  ])('%s says so to policy', async (_, holdsNothing, balances) => {
    const { email } = await world.login();
    const rest = { address: '', totalUsdMicros: 0n, pricedAtMs: 0n };
    world.script.wallet.getBalances = async () => ({ ...rest, ...(await balances()) }) as never;
    expect((await (await newOwner()).requestClaim(world, email)).status).toBe(202);
    expect(requests<policyV1.RequestApprovalRequest>('requestApproval')).toMatchObject([
      { request: { value: { holdsNothing } } },
    ]);
  });

  it('with a delay ends the agent’s sessions when it takes effect, and not before', async () => {
    const agent = await world.login();
    const browser = await newOwner();
    const asked = await browser.requestClaim(world, agent.email);
    const { id } = asked.body.data.approval as { id: string };
    const effectiveAtMs = BigInt(world.clock.nowMs() + 24 * HOUR_MS);
    fake.result = { state: ApprovalState.APPROVAL_STATE_APPROVED, effectiveAtMs };
    const signed = await browser.post(`/owner/approvals/${id}/approve`, { assertion: ASSERTION });
    const effectiveAt = new Date(Number(effectiveAtMs)).toISOString();
    expect(signed.body.data).toMatchObject({ approval: { id, state: 'approved', effectiveAt } });
    const due = async () =>
      (await world.database.pool.query<{ due_at: Date }>('select due_at from claim_evictions')).rows[0]!.due_at;
    expect((await due()).getTime()).toBe(Number(effectiveAtMs) + 2_000);
    expect(await statusAt(agent.client)).toBe(200);

    const claim = fake.approvals.get(id)!;
    fake.approvals.set(id, { ...claim, state: ApprovalState.APPROVAL_STATE_APPLIED });
    world.clock.aheadMs = 24 * HOUR_MS + 3_000;
    await eventually(async () => (await statusAt(agent.client)) === 401);
    await eventually(() => Promise.resolve(requests('voidOperations').length === 1));
    expect(requests('voidOperations')).toMatchObject([{ agentId: agent.agentId }]);
  });

  it('with a delay that was cancelled leaves them', async () => {
    const agent = await world.login();
    const browser = await newOwner();
    const asked = await browser.requestClaim(world, agent.email);
    const { id } = asked.body.data.approval as { id: string };
    fake.result = {
      ...{ state: ApprovalState.APPROVAL_STATE_APPROVED, effectiveAtMs: BigInt(world.clock.nowMs() + HOUR_MS) },
    };
    await browser.post(`/owner/approvals/${id}/approve`, { assertion: ASSERTION });
    fake.approvals.set(id, { ...fake.approvals.get(id)!, state: ApprovalState.APPROVAL_STATE_WITHDRAWN });
    world.clock.aheadMs = HOUR_MS + 3_000;
    await eventually(async () => (await world.database.pool.query('select from claim_evictions')).rowCount === 0);
    expect(await statusAt(agent.client)).toBe(200);
  });
});

describe('an owner whom a first login names', () => {
  /** Logs in with an owner's address. */
  async function logIn(email: string, ownerEmail: string | undefined) {
    const { data } = (await client.post('/connect/start', { email, ownerEmail })).body;
    const otpCode = world.inbox.lastCode(email);
    return client.post('/connect/complete', { email, otpId: data.otpId as string, otpCode });
  }

  /** Notes the owners that policies are made with. */
  function named(): string[] {
    const names: string[] = [];
    const { createPolicy } = world.script.policy;
    world.script.policy.createPolicy = (request, ...more) => {
      names.push(request.namedOwnerId);
      return createPolicy(request, ...more);
    };
    return names;
  }

  it('is who has that address, and no later login names another', async () => {
    const names = named();
    const [email, owner] = [`named${people}@example.com`, `boss${people}@example.com`];
    expect((await logIn(email, owner)).status).toBe(200);
    const mail = world.inbox.mails.findLast(({ to }) => to === email)!;
    expect(mail.text.replaceAll('=\r\n', '')).toContain(owner);
    await logIn(email, `thief${people}@example.com`);
    await logIn(email, undefined);
    const id = await new Browser(client).openWithPasskey(world, owner);
    expect(names).toEqual([id, id, id]);
  });

  it('is not who another names who asked for a code of the same address', async () => {
    const names = named();
    const email = `named${people}@example.com`;
    const own = await client.post('/connect/start', { email });
    const code = world.inbox.lastCode(email);
    await world.client.from('10.8.0.2').post('/connect/start', { email, ownerEmail: 'thief@example.com' });
    const otpId = own.body.data.otpId as string;
    expect((await client.post('/connect/complete', { email, otpId, otpCode: code })).status).toBe(200);
    expect(names).toEqual(['']);
  });

  it.each([
    ['the agent’s own address', { ownerEmail: 'same@example.com' }],
    ['its own address in capitals', { ownerEmail: 'SAME@Example.com' }],
    ['no address', { ownerEmail: 'someone' }],
    ['an owner of an eviction', { purpose: 'evict', ownerEmail: 'boss@example.com' }],
  ])('cannot be %s', async (_, more) => {
    const answer = await client.post('/connect/start', { email: 'same@example.com', ...more });
    expectFailure(answer, 400, 'VALIDATION_ERROR');
    expect(answer.body.data.details).toMatchObject([{ field: 'ownerEmail' }]);
  });
});
