import { casesOf, eventually } from '@agent-wallet/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentClient, TransferOrder } from '../src/index.js';
import { untilFinal } from './harness/responses.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { crashAndReturn } from './harness/leases.js';
import { newRecipient } from './harness/recipient.js';
import { transfersOf, usedWhenQuiet } from './harness/spending.js';

let deployment: Deployment;

beforeAll(async () => {
  deployment = await shareDeployment();
});

/** Every named step of a transfer in the wallet's process. */
const STEPS = [
  'transfer.after-build',
  'transfer.after-reservation',
  'transfer.after-signing',
  'transfer.after-persisting',
  'transfer.after-broadcast',
  'transfer.before-answering',
  'transfer.before-publishing',
];

const PRICE_OF_ORDER = 7_000_000n;

async function agentAndOrder(): Promise<{ agent: AgentClient; order: TransferOrder }> {
  const agent = await deployment.agent({ SOL: 1, USDC: 100 });
  const to = newRecipient();
  await deployment.sandbox.faucet(to, 'USDC', 1);
  return { agent, order: { to, amount: 7, mint: 'USDC' } };
}

/** One effect on chain, the right record, nothing left reserved. */
async function expectOneEffect(agent: AgentClient, to: string): Promise<void> {
  expect(await deployment.sandbox.balanceRaw(to, 'USDC')).toBe(1_000_000n + PRICE_OF_ORDER);
  expect(await usedWhenQuiet(agent)).toBe(PRICE_OF_ORDER);
  const records = await eventually(
    () => transfersOf(agent),
    (found) => found.some(({ status }) => status === 'confirmed'),
  );
  expect(records).toHaveLength(1);
  expect(records[0]).toMatchObject({ action: 'transfer', asset: 'USDC', amount: 7, to, status: 'confirmed' });
}

describe.each(casesOf(STEPS, { gate: ['transfer.after-broadcast'] }))('a wallet killed at %s', (step) => {
  it('has sent the money once when the request is repeated with the same key', async () => {
    const { agent, order } = await agentAndOrder();
    await deployment.crashAt('wallet-0', step);
    const first = agent.transfer(order, 'the-key');
    await crashAndReturn(deployment, 'wallet');
    expect((await first).status).toBeLessThan(500);
    const answer = await untilFinal(() => agent.transfer(order, 'the-key'));
    expect(answer.status).toBe(200);
    const result = answer.body.data.originalResponse ?? answer.body.data;
    expect(result).toMatchObject({ amount: '7 USDC', amountRaw: '7000000', status: 'confirmed' });
    expect((await deployment.sandbox.transactions(order.to)).map(({ signature }) => signature)).toContain(
      result.signature,
    );
    await expectOneEffect(agent, order.to);
  });
});

describe('a gateway killed while a transfer is under way', () => {
  it('lets the repeated request find the one effect', async () => {
    const { agent, order } = await agentAndOrder();
    const lost = agent.transfer(order, 'the-key').catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    await deployment.kill('gateway-0');
    await lost;
    await deployment.restart('gateway-0');
    const answer = await untilFinal(() => agent.transfer(order, 'the-key'));
    expect(answer.status).toBe(200);
    await expectOneEffect(agent, order.to);
  });
});

describe.each(casesOf(['policy-0', 'signer-0'], { gate: ['policy-0'] }))(
  '%s killed during a burst of transfers',
  (name) => {
    it('doubles nothing for a client that uses a new key after a 5xx, as the specification advises', async () => {
      const agent = await deployment.agent({ SOL: 1, USDC: 500 });
      const recipients = Array.from({ length: 10 }, newRecipient);
      for (const to of recipients) await deployment.sandbox.faucet(to, 'USDC', 1);
      const send = async (to: string): Promise<void> => {
        for (let attempt = 0; ; attempt += 1) {
          const key = `${to}-${attempt}`;
          const answer = await untilFinal(() => agent.transfer({ to, amount: 7, mint: 'USDC' }, key));
          if (answer.status === 200) return;
          expect(answer.status).toBeGreaterThanOrEqual(500);
        }
      };
      const all = Promise.all(recipients.map(send));
      await deployment.kill(name);
      await deployment.restart(name);
      await all;
      for (const to of recipients) {
        expect(await deployment.sandbox.balanceRaw(to, 'USDC')).toBe(1_000_000n + PRICE_OF_ORDER);
      }
      expect(await usedWhenQuiet(agent)).toBe(10n * PRICE_OF_ORDER);
    });
  },
);
