import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentClient, ClientResponse, TransferData, TransferOrder } from '../src/index.js';
import { untilFinal } from './harness/responses.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { newRecipient, received } from './harness/recipient.js';
import { transfersOf, usageOf, usedWhenQuiet } from './harness/spending.js';

let deployment: Deployment;

beforeAll(async () => {
  // A chain that moves fast, so that a transaction dies within seconds, and that has confirmed and finalized apart.
  deployment = await shareDeployment({ slotMs: 20 });
});

afterEach(() => deployment.sandbox.disarm());

const SENT = 7_000_000n;

async function agentAndOrder(): Promise<{ agent: AgentClient; order: TransferOrder }> {
  const agent = await deployment.agent({ SOL: 1, USDC: 100 });
  const to = newRecipient();
  await deployment.sandbox.faucet(to, 'USDC', 1);
  return { agent, order: { to, amount: 7, mint: 'USDC' } };
}

async function final(agent: AgentClient, order: TransferOrder): Promise<ClientResponse<TransferData>> {
  return untilFinal(() => agent.transfer(order, 'the-key'), 90_000);
}

describe('faults of the chain that a transfer survives', () => {
  it.each([
    ['landThenFailReply', { match: { method: 'sendTransaction' } }],
    ['error429', { times: 3 }],
    ['error500', { times: 3 }],
    ['delay', { delayMs: 1_500 }],
    ['lagStatus', { times: 20, delayMs: 2_000 }],
  ])('%s: the money moved once, and no 5xx was answered', async (fault, more) => {
    const { agent, order } = await agentAndOrder();
    await deployment.sandbox.arm({ part: 'chain', fault, ...more });
    const first = await agent.transfer(order, 'the-key');
    const answer = [202, 409].includes(first.status) ? await final(agent, order) : first;
    if (answer.status === 200) {
      expect(await received(deployment, order.to)).toBe(SENT);
      expect(await usedWhenQuiet(agent)).toBe(SENT);
    } else {
      // A 5xx says that nothing moved and nothing will.
      expect(await received(deployment, order.to)).toBe(0n);
      expect(await usedWhenQuiet(agent)).toBe(0n);
    }
  });
});

describe.each(['drop', 'expireBlockhash'])('a transaction lost by %s', (fault) => {
  it('ends as expired once it is provably expired; nothing moved and nothing stays reserved', async () => {
    const { agent, order } = await agentAndOrder();
    await deployment.sandbox.arm({ part: 'chain', fault });
    const first = await agent.transfer(order, 'the-key');
    if (first.status === 202) {
      expect(first.body.data).toMatchObject({ status: 'submitted' });
      expect((await usageOf(agent)).reserved).toBe(SENT);
    }
    const answer = [202, 409].includes(first.status) ? await final(agent, order) : first;
    expect(answer).toMatchObject({ status: 504, body: { data: { code: 'TRANSACTION_EXPIRED', retryable: true } } });
    expect(await received(deployment, order.to)).toBe(0n);
    expect(await usedWhenQuiet(agent)).toBe(0n);
    const [record] = await eventually(
      () => transfersOf(agent),
      ([found]) => found?.status === 'expired',
    );
    expect(record).toMatchObject({ action: 'transfer', to: order.to, status: 'expired' });
  });
});
