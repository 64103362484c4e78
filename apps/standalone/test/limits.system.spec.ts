import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentClient } from '../src/index.js';
import { statuses } from './harness/responses.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { newRecipient, received } from './harness/recipient.js';
import { usedWhenQuiet } from './harness/spending.js';

let deployment: Deployment;

beforeAll(async () => {
  deployment = await shareDeployment({ copies: 2 });
});

const FIVE_USDC = { amount: 5, mint: 'USDC' };
const FIVE_USDC_RAW = 5_000_000n;

/** An agent whose day allows ten transfers of 5 USDC, and who holds far more. The recipient's account exists. */
async function agentWithTenTransfers(): Promise<{ agent: AgentClient; to: string }> {
  const agent = await deployment.agent({ SOL: 1, USDC: 1_000 });
  const to = newRecipient();
  await deployment.sandbox.faucet(to, 'USDC', 1);
  expect((await agent.patchPolicy({ dailyLimitInUsd: 50 })).status).toBe(200);
  return { agent, to };
}

describe('a daily limit', () => {
  it('lets exactly 10 of 50 parallel transfers through', async () => {
    const { agent, to } = await agentWithTenTransfers();
    const answers = await Promise.all(Array.from({ length: 50 }, () => agent.transfer({ to, ...FIVE_USDC })));
    expect(statuses(answers)).toEqual({ 200: 10, 403: 40 });
    expect(await received(deployment, to)).toBe(10n * FIVE_USDC_RAW);
    expect(await usedWhenQuiet(agent)).toBe(50_000_000n);
  });

  it('lets exactly 10 of 50 through when two gateways, wallets and policies take them', async () => {
    const { agent, to } = await agentWithTenTransfers();
    const callers = [agent, agent.at(deployment.url(1))];
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => callers[n % 2]!.transfer({ to, ...FIVE_USDC })),
    );
    expect(statuses(answers)).toEqual({ 200: 10, 403: 40 });
    expect(await received(deployment, to)).toBe(10n * FIVE_USDC_RAW);
  });

  it('holds from the answer of a PATCH on, with 50 transfers under way', async () => {
    const { agent, to } = await agentWithTenTransfers();
    expect((await agent.patchPolicy({ dailyLimitInUsd: 500 })).status).toBe(200);
    const transfers = Promise.all(Array.from({ length: 50 }, () => agent.transfer({ to, ...FIVE_USDC })));
    const patched = await agent.at(deployment.url(1)).patchPolicy({ dailyLimitInUsd: 5 });
    expect(patched.status).toBe(200);
    const atPatch = (await agent.usage()).body.data;
    const reservedThen = BigInt(Math.round(atPatch.usedUsd * 1_000_000));
    const landed = (await transfers).filter(({ status }) => status === 200).length;
    expect(BigInt(landed) * FIVE_USDC_RAW).toBeLessThanOrEqual(reservedThen > 5_000_000n ? reservedThen : 5_000_000n);
    expect(await received(deployment, to)).toBe(BigInt(landed) * FIVE_USDC_RAW);
    expect((await agent.transfer({ to, ...FIVE_USDC })).status).toBe(landed === 0 ? 200 : 403);
  });

  it('explains a refusal so that the agent can correct itself', async () => {
    const { agent, to } = await agentWithTenTransfers();
    const refused = await agent.transfer({ to, amount: 50.000001, mint: 'USDC' });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({
      status: false,
      statusCode: 403,
      data: { code: 'POLICY_VIOLATION', rule: 'daily_limit', limitUsd: 50, usedUsd: 0, maxAllowedNowUsd: 50 },
    });
    expect((await agent.transfer({ to, amount: 50, mint: 'USDC' })).status).toBe(200);
  });
});

describe('the whole balance sent twice in parallel', () => {
  it('lands once, and nothing is left reserved', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 40 });
    const to = newRecipient();
    await deployment.sandbox.faucet(to, 'USDC', 1);
    const order = { to, amount: 40, mint: 'USDC' };
    const answers = await Promise.all([agent.transfer(order), agent.transfer(order)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(await received(deployment, to)).toBe(40_000_000n);
    expect(await usedWhenQuiet(agent)).toBe(40_000_000n);
  });
});
