import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentClient } from '../src/index.js';
import { Deployment } from '../src/testing/index.js';
import { newRecipient } from './harness/recipient.js';
import { transfersOf } from './harness/spending.js';

let deployment: Deployment;
let agent: AgentClient;

beforeAll(async () => {
  deployment = await Deployment.start({ parts: ['transfers'] });
  agent = await AgentClient.logIn(deployment.url(), deployment.sandbox, 'a@agents.example');
  await deployment.sandbox.faucet(agent.address, 'SOL', 10);
  await deployment.sandbox.faucet(agent.address, 'USDC', 500);
});
afterAll(() => deployment.stop());

describe('a deployment with a node and mail alone', () => {
  it('runs neither swap nor prediction', () => {
    for (const name of ['swap-0', 'prediction-0']) expect(() => deployment.addressOf(name)).toThrow(name);
  });

  it('values balances by the prices on the chain', async () => {
    const { body } = await agent.balances();
    expect(body.data.totalUsdValue).toBeGreaterThan(500);
  });

  it('sends SOL and USDC, and records both', async () => {
    for (const order of [{ amount: 0.1 }, { amount: 12.5, mint: 'USDC' }]) {
      const sent = await agent.transfer({ to: newRecipient(), ...order });
      expect([sent.status, sent.body.message]).toEqual([200, expect.any(String)]);
    }
    const records = await eventually(
      () => transfersOf(agent),
      (found) => found.length === 2,
    );
    expect(records.map(({ status }) => status)).toEqual(['confirmed', 'confirmed']);
  });

  it('holds the limits, at the prices on the chain', async () => {
    const { status, body } = await agent.transfer({ to: newRecipient(), amount: 101, mint: 'USDC' });
    expect([status, body.data]).toMatchObject([403, { code: 'POLICY_VIOLATION', rule: 'single_transaction_limit' }]);
  });

  it('refuses a token that nothing prices', async () => {
    const { status, body } = await agent.transfer({ to: newRecipient(), amount: 1, mint: 'WIF' });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(body.data.code).not.toBe('INTERNAL_ERROR');
  });

  it('names the part of what it lacks', async () => {
    const { status, body } = await agent.trade({ from: 'USDC', to: 'SOL', amount: 1, slippageBps: 50 });
    expect([status, body.data]).toMatchObject([501, { code: 'CAPABILITY_UNAVAILABLE', capability: 'trading' }]);
  });
});
