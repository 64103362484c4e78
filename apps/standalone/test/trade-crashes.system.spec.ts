import { casesOf, eventually } from '@agent-wallet/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentClient, TradeOrder } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { crashAndReturn } from './harness/leases.js';
import { usedWhenQuiet } from './harness/spending.js';
import { holdingsOf, landedCount, MINTS, resultOf, tradesOf, tradeUntilFinal } from './harness/trading.js';

let deployment: Deployment;

beforeAll(async () => {
  deployment = await shareDeployment();
});

/** Every named step of a trade in the swap service's process. */
const STEPS = [
  'trade.after-build',
  'trade.after-reservation',
  'trade.after-signing',
  'trade.after-persisting',
  'trade.after-broadcast',
  'trade.after-landing',
  'trade.before-answering',
  'trade.before-publishing',
];

const ORDER: TradeOrder = { from: 'USDC', to: 'WIF', amount: 7 };
const SPENT = 7_000_000n;
const FUNDINGS = 2;

/** So many trades of 7 USDC: on chain, in the policy's sums and in history. */
async function expectTrades(count: number, agent: AgentClient, received: bigint): Promise<void> {
  const { tokens } = await holdingsOf(deployment, agent);
  expect(tokens).toEqual({ [MINTS.USDC]: 100_000_000n - BigInt(count) * SPENT, [MINTS.WIF]: received });
  expect(await landedCount(deployment, agent)).toBe(FUNDINGS + count);
  expect(await usedWhenQuiet(agent)).toBe(BigInt(count) * SPENT);
  const records = await eventually(
    () => tradesOf(agent),
    (found) => found.filter(({ status }) => status === 'confirmed').length === count,
  );
  const others = records.filter(({ status }) => status !== 'confirmed');
  expect(others.map(({ signature }) => signature)).toEqual(others.map(() => null));
}

describe.each(casesOf(STEPS, { gate: ['trade.after-broadcast'] }))('a swap service killed at %s', (step) => {
  it('has traded once when the request is repeated with the same key', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 100 });
    await deployment.crashAt('swap-0', step);
    const first = agent.trade(ORDER, 'the-key');
    await crashAndReturn(deployment, 'swap');
    expect((await first).status).toBeLessThan(500);
    const result = resultOf(await tradeUntilFinal(agent, ORDER, 'the-key'));
    expect(result).toMatchObject({ status: 'confirmed', inputAmount: '7 USDC' });
    const landed = await deployment.sandbox.transactions(agent.address);
    expect(landed.map(({ signature }) => signature)).toContain(result.signature);
    await expectTrades(1, agent, BigInt(result.outputAmountRaw));
  });
});

describe.each(casesOf(['gateway-0', 'policy-0', 'signer-0', 'wallet-0', 'swap-0'], { gate: ['signer-0'] }))(
  '%s killed during trades',
  (name) => {
    it('doubles nothing for a client that uses a new key after a 5xx, as the specification advises', async () => {
      const agent = await deployment.agent({ SOL: 1, USDC: 100 });
      const trade = async (n: number): Promise<bigint> => {
        for (let attempt = 0; ; attempt += 1) {
          const key = `${n}-${attempt}`;
          const answer = await eventually(
            () => agent.trade(ORDER, key).catch(() => undefined),
            (found) => found !== undefined && ![202, 409].includes(found.status),
            60_000,
          );
          if (answer!.status === 200) return BigInt(resultOf(answer!).outputAmountRaw);
          expect(answer!.status).toBeGreaterThanOrEqual(500);
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      };
      const all = Promise.all([1, 2, 3, 4].map(trade));
      await deployment.kill(name);
      await deployment.restart(name);
      const received = (await all).reduce((sum, amount) => sum + amount, 0n);
      await expectTrades(4, agent, received);
    });
  },
);

describe('SIGTERM to the swap service during trades', () => {
  it('ends with exit code 0, and loses and doubles nothing', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 100 });
    const all = Promise.all([1, 2, 3, 4].map((n) => agent.trade(ORDER, `${n}`)));
    await eventually(
      () => landedCount(deployment, agent),
      (count) => count > FUNDINGS,
    );
    expect(await deployment.terminate('swap-0')).toBe(0);
    await deployment.restart('swap-0');
    await all;
    const results = await Promise.all([1, 2, 3, 4].map((n) => tradeUntilFinal(agent, ORDER, `${n}`)));
    const done = results.filter(({ status }) => status === 200).map(resultOf);
    // What had not begun when it stopped is a 503: nothing moved and nothing will.
    expect(results.every(({ status }) => [200, 503].includes(status))).toBe(true);
    const received = done.reduce((sum, { outputAmountRaw }) => sum + BigInt(outputAmountRaw), 0n);
    await expectTrades(done.length, agent, received);
  });
});
