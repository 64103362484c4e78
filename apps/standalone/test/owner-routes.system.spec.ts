import { eventually } from '@agent-wallet/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { AgentClient, callJson, type Envelope, type JsonResponse } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { newRecipient } from './harness/recipient.js';
import { OwnerConsole, type OwnerData } from '../src/testing/owner-console.js';

let deployment: Deployment;
let agent: AgentClient;

beforeAll(async () => {
  deployment = await shareDeployment();
});

/** A route of the agent, with its token. */
function asAgent(path: string, body?: unknown): Promise<JsonResponse<Envelope<OwnerData>>> {
  const headers = { authorization: `Bearer ${agent.token}` };
  return callJson(`${agent.baseUrl}/wallets/me${path}`, { headers, ...(body === undefined ? {} : { body }) });
}

const policyNow = async () => (await asAgent('/policy')).body.data;

async function propose(changes: Record<string, unknown>) {
  const asked = await asAgent('/policy/proposals', { changes, note: 'rent' });
  expect(asked).toMatchObject({ status: 202, body: { data: { approval: { kind: 'policy', state: 'pending' } } } });
  return asked.body.data.approval;
}

/** A new agent, and an owner who has claimed it. */
async function claimed(): Promise<OwnerConsole> {
  agent = await deployment.agent({});
  return OwnerConsole.claiming(deployment, agent);
}

describe('an owner', () => {
  it('claims an agent by its mailbox and a passkey: an earlier token is dead, and only a signature loosens', async () => {
    agent = await deployment.agent({});
    const stolen = agent;
    expect(await agent.patchPolicy({ dailyLimitInUsd: 510 })).toMatchObject({ status: 200 });
    expect((await asAgent('/policy/proposals', { changes: { dailyLimitInUsd: 600 } })).status).toBe(400);

    const owner = await OwnerConsole.open(deployment);
    const asked = await owner.requestClaim(agent);
    expect(asked).toMatchObject({ status: 202, body: { data: { approval: { kind: 'claim', state: 'pending' } } } });
    expect((await owner.approve(asked.body.data.approval)).body.data).toMatchObject({ approval: { state: 'applied' } });
    expect((await stolen.balances()).status).toBe(401);
    expect((await owner.call('/agents')).body.data).toMatchObject({ agents: [{ email: agent.email, role: 'owner' }] });

    const { email, baseUrl } = agent;
    agent = await AgentClient.logIn(baseUrl, deployment.sandbox, email);
    expect(await policyNow()).toMatchObject({ claimed: true, policy: { dailyLimitInUsd: 510 } });
    expect(await agent.patchPolicy({ dailyLimitInUsd: 520 })).toMatchObject({
      status: 403,
      body: {
        data: { code: 'POLICY_LOOSENING_NEEDS_OWNER', suggestion: 'Propose the change. The owner decides on it.' },
      },
    });
    expect(await agent.patchPolicy({ dailyLimitInUsd: 500 })).toMatchObject({ status: 200 });
    const approval = await propose({ dailyLimitInUsd: 520, approvalLifetimeHours: 48 });
    expect(await propose({ dailyLimitInUsd: 520, approvalLifetimeHours: 48 })).toMatchObject({ id: approval.id });
    expect((await owner.call('/approvals?state=pending')).body.data.approvals).toMatchObject([{ id: approval.id }]);
    expect((await owner.approve(approval)).body.data).toMatchObject({ approval: { state: 'applied', votes: 1 } });
    expect(await policyNow()).toMatchObject({ policy: { dailyLimitInUsd: 520 }, approvalLifetimeHours: 48 });
    expect((await asAgent(`/approvals/${approval.id}`)).body.data).toMatchObject({ approval: { state: 'applied' } });
  });

  it('rejects, and an agent withdraws: nothing changes, and a signature comes too late', async () => {
    const owner = await claimed();
    const before = await policyNow();
    const rejected = await propose({ dailyLimitInUsd: 900 });
    expect((await owner.call(`/approvals/${rejected.id}/reject`, {})).body.data.approval.state).toBe('rejected');
    const withdrawn = await propose({ dailyLimitInUsd: 901 });
    expect((await asAgent(`/approvals/${withdrawn.id}/withdraw`, {})).body.data.approval.state).toBe('withdrawn');
    for (const closed of [rejected, withdrawn]) {
      expect(await owner.approve(closed)).toMatchObject({ status: 409, body: { data: { code: 'APPROVAL_CLOSED' } } });
    }
    expect(await policyNow()).toEqual(before);
    expect((await asAgent('/approvals?state=rejected')).body.data.approvals).toMatchObject([{ id: rejected.id }]);
  });

  it('tightens at once, and loosens with a signature; freezes, and ends the agent’s sessions', async () => {
    const owner = await claimed();
    await deployment.sandbox.faucet(agent.address, 'SOL', 1);
    const { agents } = (await owner.call('/agents')).body.data as unknown as { agents: Array<{ id: string }> };
    const path = `/agents/${agents[0]!.id}`;
    const tightened = await owner.call(`${path}/policy`, { allowTrading: false }, 'PATCH');
    expect(tightened).toMatchObject({ status: 200, body: { data: { policy: { allowTrading: false } } } });
    const loosening = await owner.call(`${path}/policy`, { allowTrading: true, dailyLimitInUsd: 10 }, 'PATCH');
    expect(loosening).toMatchObject({ status: 202, body: { data: { approval: { state: 'pending' } } } });
    expect(await policyNow()).toMatchObject({ policy: { allowTrading: false, dailyLimitInUsd: 500 } });
    await owner.approve(loosening.body.data.approval);
    expect(await policyNow()).toMatchObject({ policy: { allowTrading: true, dailyLimitInUsd: 10 } });
    expect((await owner.call(`${path}/freeze`, {})).body.data).toEqual({ changed: true });
    expect(await agent.dryTransfer({ to: newRecipient(), amount: 0.001, mint: 'SOL' })).toMatchObject({
      body: { data: { policy: { allowed: false, rule: 'frozen' } } },
    });
    const unfreezing = await owner.call(`${path}/unfreeze`, {});
    expect(unfreezing).toMatchObject({ status: 202, body: { data: { approval: { kind: 'unfreeze' } } } });
    expect((await owner.approve(unfreezing.body.data.approval)).body.data.approval.state).toBe('applied');
    expect((await owner.call(`${path}/evict`, {})).body.data).toEqual({ ended: 1 });
    expect((await agent.balances()).status).toBe(401);
  });

  it('logs in again by the passkey alone; a second passkey waits for a signature of the first', async () => {
    const owner = await OwnerConsole.open(deployment);
    expect((await owner.logInByMail()).body.data).toMatchObject({ passkeyRequired: true });
    expect((await owner.call('/agents')).status).toBe(200);
    expect((await owner.call('/claims/start', { agentEmail: 'agent@example.com' })).status).toBe(401);
    expect((await owner.logInByPasskey()).status).toBe(200);
    expect((await owner.call('/agents')).status).toBe(200);
    const second = await owner.register(new OwnerConsole(owner.baseUrl, owner.sandbox).passkey);
    expect(second).toMatchObject({ status: 202, body: { data: { approval: { kind: 'passkey' } } } });
    expect((await owner.approve(second.body.data.approval)).body.data.approval.state).toBe('applied');
    expect((await owner.call('/me')).body.data).toMatchObject({ passkeys: [{}, {}] });
    const removal = await owner.call(
      `/passkeys/${owner.passkey.credentialId.toString('base64url')}`,
      undefined,
      'DELETE',
    );
    expect(removal).toMatchObject({ status: 202, body: { data: { approval: { kind: 'passkey', state: 'pending' } } } });
  });
});

it('a payment above the owner’s amount waits for a passkey’s signature, and is made once or not at all', async () => {
  agent = await deployment.agent({ SOL: 1, USDC: 10 });
  const needsOwner = await agent.patchPolicy({ approveAboveInUsd: 1, newRecipients: 'approve' });
  expect(needsOwner).toMatchObject({
    status: 400,
    body: { data: { details: [{ field: 'newRecipients' }, { field: 'approveAboveInUsd' }] } },
  });
  const owner = await OwnerConsole.claiming(deployment, agent);
  const tightened = await agent.patchPolicy({ approveAboveInUsd: 1 });
  expect(tightened).toMatchObject({ status: 200, body: { data: { policy: { approveAboveInUsd: 1 } } } });
  const order = { to: newRecipient(), amount: 2, mint: 'USDC' };
  const [paid, refused] = [randomUUID(), randomUUID()];
  const asked = await agent.transfer(order, paid);
  expect(asked).toMatchObject({
    status: 202,
    body: { data: { transactionStatus: 'awaiting_approval', reasons: ['above_amount'] } },
  });
  const idOf = ({ body }: typeof asked) => (body.data as unknown as { approvalId: string }).approvalId;
  expect((await agent.transfer(order, paid)).body.data).toEqual(asked.body.data);
  const { document } = (await owner.call(`/approvals/${idOf(asked)}`)).body.data;
  expect(JSON.parse(document)).toMatchObject({
    session: { loggedInAt: expect.stringMatching(/:\d\d\.000Z$/), network: '127.0.0.0/24' },
  });
  expect((await owner.approve({ id: idOf(asked) })).body.data.approval).toMatchObject({
    ...{ kind: 'operation', state: 'approved' },
  });
  const done = await eventually(
    () => agent.transfer(order, paid),
    ({ status }) => status !== 202,
  );
  expect(done).toMatchObject({
    status: 200,
    body: { data: { originalResponse: { signature: expect.stringMatching(/^\w{64,}$/) } } },
  });

  const other = await agent.transfer(order, refused);
  expect((await owner.call(`/approvals/${idOf(other)}/reject`, {})).body.data.approval.state).toBe('rejected');
  expect(await agent.transfer(order, refused)).toMatchObject({
    status: 403,
    body: { data: { code: 'APPROVAL_REJECTED', reason: 'rejected', approvalId: idOf(other), retry: 'never' } },
  });

  const { agents } = (await owner.call('/agents')).body.data as unknown as { agents: Array<{ id: string }> };
  const loosened = await owner.call(`/agents/${agents[0]!.id}/policy`, { approveAboveInUsd: null }, 'PATCH');
  expect(loosened.status).toBe(202);
  await owner.approve(loosened.body.data.approval);
  expect(await policyNow()).toMatchObject({ policy: { approveAboveInUsd: null } });
  await expectNotices(owner, order);
});

/** What the owner is mailed of all that, by the events of every service. */
async function expectNotices(owner: OwnerConsole, payment: { to: string }): Promise<void> {
  const parts = [
    [/^A passkey was added/, `Asked by: the owner ${owner.email}`],
    [/^A claim of the agent was requested/, `Agent: ${agent.email}`],
    [/^The agent has a new owner/, 'From the network: 127.0.0.0/24'],
    [/^The policy was changed/, 'Asked by: the agent', 'approveAboveInUsd: null to 1'],
    [/ asks to pay 2 USDC \(\$2\.00\) to /, `Recipient: ${payment.to}`, '127.0.0.0/24'],
    [/^The agent paid a new recipient/, `Recipient: ${payment.to}`, 'Amount: 2 USDC', 'From the network: 127.0.0.0/24'],
    [/^A change of the policy was proposed/, `Asked by: the owner ${owner.email}`, 'approveAboveInUsd: 1 to null'],
  ] as const;
  const isThere = (texts: string[]) =>
    parts.every(([first, ...rest]) =>
      texts.some((text) => first.test(text) && rest.every((part) => text.includes(part))),
    );
  await eventually(() => deployment.sandbox.notices(owner.email), isThere);
}

describe('nothing is approved', () => {
  it('by a signature over a document that a false page showed', async () => {
    const owner = await claimed();
    const approval = await propose({ dailyLimitInUsd: 1_000_000 });
    const { document } = (await owner.call(`/approvals/${approval.id}`)).body.data;
    const harmless = document.replace('1000000', '501');
    expect(harmless).not.toBe(document);
    expect(await owner.approve(approval, harmless)).toMatchObject({
      status: 401,
      body: { data: { code: 'ASSERTION_INVALID' } },
    });
    expect((await asAgent(`/approvals/${approval.id}`)).body.data.approval.state).toBe('pending');
    expect(await policyNow()).toMatchObject({ policy: { dailyLimitInUsd: 500 } });
  });

  it('by another owner, or for another agent: their approvals are not found', async () => {
    const stranger = await claimed();
    const owner = await claimed();
    const approval = await propose({ dailyLimitInUsd: 600 });
    const { document } = (await owner.call(`/approvals/${approval.id}`)).body.data;
    const answers = [
      await stranger.call(`/approvals/${approval.id}`),
      await stranger.call(`/approvals/${approval.id}/approve`, { assertion: stranger.assertion(document) }),
      await stranger.call(`/approvals/${approval.id}/reject`, {}),
    ];
    agent = await deployment.agent({});
    answers.push(await asAgent(`/approvals/${approval.id}`), await asAgent(`/approvals/${approval.id}/withdraw`, {}));
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect((await owner.call(`/approvals/${approval.id}`)).body.data.approval.state).toBe('pending');
  });

  it('of a stale proposal: what it shows as before has changed, and the signature has no effect', async () => {
    const owner = await claimed();
    const approval = await propose({ dailyLimitInUsd: 600, allowTrading: false });
    expect(await agent.patchPolicy({ dailyLimitInUsd: 400 })).toMatchObject({ status: 200 });
    expect((await owner.approve(approval)).body.data.approval.state).toBe('superseded');
    expect(await policyNow()).toMatchObject({ policy: { dailyLimitInUsd: 400, allowTrading: true } });
  });
});
