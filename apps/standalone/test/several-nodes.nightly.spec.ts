import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentClient } from '../src/index.js';
import { Deployment } from '../src/testing/index.js';
import { FAULT_NAMES, type FaultyNode, openFaultyNode } from './harness/faulty-node.js';
import { newRecipient } from './harness/recipient.js';
import { usedWhenQuiet } from './harness/spending.js';

const OPERATIONS = 1_000;
const AT_ONCE = 10;
/** More than the limit of a day allows. */
const USDC_EACH = 0.6;
const MICROS_EACH = 600_000n;
const DAILY_MICROS = 500_000_000n;
const WRONG_PERCENT = 40;
const HONEST_DELAY_MS = 10;

let deployment: Deployment;
let agent: AgentClient;
let nodes: readonly FaultyNode[];

beforeAll(async () => {
  deployment = await Deployment.start({
    environment: { RATE_LIMIT_AGENT_PER_MINUTE: '100000', RATE_LIMIT_IP_PER_MINUTE: '100000' },
    openNodes: async (rpcUrl) => {
      const honest = { percent: 0, delayMs: HONEST_DELAY_MS };
      // The wrong one is always the first to answer.
      const wrong = { percent: WRONG_PERCENT, delayMs: 0 };
      nodes = await Promise.all([wrong, honest, honest].map((way) => openFaultyNode(rpcUrl, way)));
      return nodes.map(({ url }) => url);
    },
  });
  agent = await AgentClient.logIn(deployment.url(), deployment.sandbox, 'a@agents.example');
  await deployment.sandbox.faucet(agent.address, 'SOL', 100);
  await deployment.sandbox.faucet(agent.address, 'USDC', 1_000);
});
afterAll(async () => {
  await deployment.stop();
  await Promise.all(nodes.map((node) => node.close()));
});

describe('three nodes, one of them wrong in ten ways', () => {
  it('move each payment once, declare none that landed lost, and exceed no limit', async () => {
    const to = newRecipient();
    // The first payment alone creates the recipient's account, whose rent counts.
    const statuses = [(await agent.transfer({ to, amount: USDC_EACH, mint: 'USDC' })).status];
    const rent = (await usedWhenQuiet(agent)) - MICROS_EACH;
    const send = async (first: number) => {
      for (let n = first; n < OPERATIONS; n += AT_ONCE) {
        const { status } = await agent.transfer({ to, amount: USDC_EACH, mint: 'USDC' }, `payment ${n}`);
        statuses.push(status);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => send(n)));
    const used = await usedWhenQuiet(agent);
    const received = await deployment.sandbox.balanceRaw(to, 'USDC');
    const paid = BigInt(statuses.filter((status) => status === 200).length) * MICROS_EACH;
    // An answer that says that the outcome is open says nothing of the money.
    const open = BigInt(statuses.filter((status) => status === 202).length) * MICROS_EACH;
    expect(received).toBeGreaterThanOrEqual(paid);
    expect(received).toBeLessThanOrEqual(paid + open);
    expect(received).toBeLessThanOrEqual(DAILY_MICROS);
    expect(used).toBe(received + rent);
    expect(new Set(statuses.filter((status) => ![200, 202, 403].includes(status)))).toEqual(new Set());
    expect([...nodes[0]!.shown].sort()).toEqual([...FAULT_NAMES].sort());
  });
});
