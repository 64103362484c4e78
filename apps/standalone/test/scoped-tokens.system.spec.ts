import { eventually } from '@agent-wallet/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentClient } from '../src/index.js';
import { OwnerConsole } from '../src/testing/owner-console.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { newRecipient } from './harness/recipient.js';
import { statuses } from './harness/responses.js';

// Scoped tokens, with two of every service.

let deployment: Deployment;
let gateways: [string, string];

beforeAll(async () => {
  deployment = await shareDeployment({ copies: 2 });
  gateways = [deployment.url(0), deployment.url(1)];
});

async function open(agent: AgentClient, body: object) {
  const opened = await agent.openToken({ name: 'A bot', ...body });
  expect(opened.status).toBe(200);
  const { token, sessionToken } = opened.body.data;
  return { id: token.id, bot: agent.as(sessionToken) };
}

const send = (amount: number) => ({ to: newRecipient(), amount, mint: 'USDC' });

describe('50 payments at once through ten tokens', () => {
  it('exceed the limit of no token, nor that of the agent', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 100 });
    expect((await agent.patchPolicy({ dailyLimitInUsd: 20, maxSingleTransactionInUsd: 5 })).status).toBe(200);
    const tokens: Array<Awaited<ReturnType<typeof open>>> = [];
    for (let n = 0; n < 10; n += 1) {
      tokens.push(await open(agent, { scopes: ['transfer'], dailyLimitInUsd: n < 5 ? 1.5 : 4, totalLimitInUsd: 3.5 }));
    }
    const to = newRecipient();
    // Opens the recipient's account, whose rent counts: 1.30 dollars.
    expect((await agent.transfer({ to, amount: 1, mint: 'USDC' }, 'first')).status).toBe(200);
    const sent = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        tokens[n % 10]!.bot.at(gateways[n % 2]!).transfer({ to, amount: 1, mint: 'USDC' }, `p${n}`),
      ),
    );
    // Five tokens may send 1 dollar, the others 3 each; the agent has 18.69 left.
    const paid = sent.filter(({ status }) => status === 200 || status === 202).length;
    expect(statuses(sent)).toMatchObject({ 403: 50 - paid });
    expect(paid).toBe(18);
    const listed = (await agent.tokens()).body.data.tokens;
    expect(listed.filter(({ usedUsd }, n) => usedUsd > (n < 5 ? 1.5 : 3.5))).toEqual([]);
  });
});

describe('a scoped token', () => {
  it('does what its scopes say, within its limits, and shows which one refuses', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 20 });
    const { bot } = await open(agent, { scopes: ['read', 'transfer'], maxSingleInUsd: 2 });
    expect((await bot.balances()).status).toBe(200);
    expect((await bot.transfer(send(1), 'one')).status).toBe(200);
    expect(await bot.transfer(send(3), 'two')).toMatchObject({
      status: 403,
      body: { data: { code: 'POLICY_VIOLATION', rule: 'grant_limit', limitUsd: 2, retry: 'never' } },
    });
    expect(await bot.dryTransfer(send(3))).toMatchObject({
      body: { data: { policy: { allowed: false, rule: 'grant_limit', limitUsd: 2 } } },
    });
    const needed = { code: 'INSUFFICIENT_SCOPE', scope: 'trade' };
    expect(await bot.trade({ from: 'USDC', to: 'SOL', amount: 1 }, 'three')).toMatchObject({
      status: 403,
      body: { data: needed },
    });
    expect((await bot.patchPolicy({ dailyLimitInUsd: 9_000 })).body.data).toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    expect((await bot.openToken({ name: 'Wider', scopes: ['trade'] })).status).toBe(403);
  });

  it('that ends is refused at every replica, and what waits for the owner fails', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 20 });
    const owner = await OwnerConsole.claiming(deployment, agent);
    expect((await agent.patchPolicy({ approveAboveInUsd: 1 })).status).toBe(200);
    const { id, bot } = await open(agent, { scopes: ['transfer'] });
    const order = send(2);
    const asked = await bot.transfer(order, 'waits');
    expect(asked).toMatchObject({ status: 202, body: { data: { transactionStatus: 'awaiting_approval' } } });
    const { transactionId, approvalId } = asked.body.data as unknown as { transactionId: string; approvalId: string };
    expect((await agent.at(gateways[1]).endToken(id)).body.data).toEqual({ ended: true });
    for (const url of gateways) expect((await bot.at(url).transfer(order, 'waits')).status).toBe(401);
    const { approval } = (await owner.call(`/approvals/${approvalId}`)).body.data;
    expect(approval).toMatchObject({ state: 'void' });
    const records = await eventually(
      async () => (await agent.transfers()).body.data.transactions,
      ([first]) => first?.status === 'rejected_by_policy',
    );
    expect(records).toMatchObject([{ id: transactionId }]);
    expect((await agent.tokens()).body.data.tokens).toEqual([]);
  });

  it('is listed and ended by the owner of its agent, and by no other', async () => {
    const agent = await deployment.agent({});
    const owner = await OwnerConsole.claiming(deployment, agent);
    const { id, bot } = await open(agent, { scopes: ['read'], dailyLimitInUsd: 5 });
    const { agents } = (await owner.call('/agents')).body.data as unknown as { agents: Array<{ id: string }> };
    const path = `/agents/${agents[0]!.id}/tokens`;
    expect((await owner.call(path)).body.data).toMatchObject({
      tokens: [{ id, scopes: ['read'], dailyLimitInUsd: 5 }],
    });
    const stranger = await OwnerConsole.open(deployment);
    expect((await stranger.call(path)).status).toBe(404);
    expect((await stranger.call(`${path}/${id}`, undefined, 'DELETE')).status).toBe(404);
    expect((await bot.balances()).status).toBe(200);
    expect((await owner.call(`${path}/${id}`, undefined, 'DELETE')).body.data).toEqual({ ended: true });
    expect((await bot.balances()).status).toBe(401);
    expect((await owner.call(`${path}/${id}`, undefined, 'DELETE')).status).toBe(200);
  });

  it('is opened by a signature of the owner, with what was signed, and not wider than the policy', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 50 });
    const owner = await OwnerConsole.claiming(deployment, agent);
    const { agents } = (await owner.call('/agents')).body.data as unknown as { agents: Array<{ id: string }> };
    const path = `/agents/${agents[0]!.id}/tokens`;
    const to = newRecipient();
    const asked = await owner.call(path, { name: 'Till', scopes: ['transfer'], recipients: [to], totalLimitInUsd: 5 });
    expect(asked).toMatchObject({
      status: 202,
      body: {
        data: { approval: { kind: 'token', state: 'pending', subject: { terms: { name: 'Till', totalUsd: '5' } } } },
      },
    });
    expect((await agent.tokens()).body.data.tokens).toEqual([]);
    const signed = await owner.approve(asked.body.data.approval);
    expect(signed.body.data.approval).toMatchObject({ state: 'applied' });
    const { sessionToken } = signed.body.data as unknown as { sessionToken: string };
    const till = agent.as(sessionToken);
    expect((await till.transfer({ to, amount: 2, mint: 'USDC' }, 'one')).status).toBe(200);
    for (const order of [send(1), { to, amount: 4, mint: 'USDC' }]) {
      expect((await till.transfer(order)).body.data).toMatchObject({ rule: 'grant_limit' });
    }
    expect((await agent.tokens()).body.data.tokens).toMatchObject([
      { id: asked.body.data.approval.id, usedUsd: expect.any(Number) },
    ]);
    expect((await owner.call(path, { name: 'Till', scopes: ['everything'] })).status).toBe(400);
    const stranger = await OwnerConsole.open(deployment);
    expect((await stranger.call(path, { name: 'Till', scopes: ['transfer'] })).status).toBe(404);
  });
});
