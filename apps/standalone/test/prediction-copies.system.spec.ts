import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentClient } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import {
  addMarket,
  costOf,
  doneOf,
  heldAtExchange,
  ordersAtExchange,
  untilFinal,
  usdcOf,
} from './harness/predicting.js';
import { expectUsed, micros } from './harness/spending.js';

// Prediction markets with two of every service, each of which calls only its own peers.

let deployment: Deployment;

beforeAll(async () => {
  deployment = await shareDeployment({ copies: 2 });
});

const FUNDS = 100_000_000n;
const agentWithMoney = () => deployment.agent({ SOL: 1, USDC: 100 });

/** The same agent at the other gateway. */
const elsewhere = (agent: AgentClient) => agent.at(deployment.url(1));

describe('two copies', () => {
  it('buy once for a key, whichever is asked', async () => {
    const agent = await agentWithMoney();
    const ticker = await addMarket(deployment);
    const order = { ticker, side: 'yes', count: 3 } as const;
    const both = [agent, elsewhere(agent)];
    const ask = (n: number) => both[n % 2]!.predictions.buy(order, 'one');
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => ask(n)));
    expect(answers.every(({ status }) => [200, 202, 409].includes(status))).toBe(true);
    const results = await Promise.all([0, 1].map(async (n) => doneOf(await untilFinal(() => ask(n)))));
    expect(results[0]).toEqual(results[1]);
    expect(await ordersAtExchange(deployment, ticker)).toBe(1);
    expect(await usdcOf(deployment, agent)).toBe(FUNDS - costOf(results[0]!));
  });

  it('sell a position once', async () => {
    const agent = await agentWithMoney();
    const ticker = await addMarket(deployment);
    const order = { ticker, side: 'no', count: 4 } as const;
    doneOf(await untilFinal(() => agent.predictions.buy(order, 'buy')));
    const sales = [agent, elsewhere(agent)].map(({ predictions }, n) =>
      untilFinal(() => predictions.sell(order, `sell-${n}`)),
    );
    expect((await Promise.all(sales)).map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(await heldAtExchange(deployment, ticker)).toBe(0);
  });

  it("share the operator's money at the exchange: what it does not cover comes back in full", async () => {
    const agents = await Promise.all(Array.from({ length: 6 }, agentWithMoney));
    const ticker = await addMarket(deployment);
    const { balanceDollars: cash } = await deployment.sandbox.exchangeAccount();
    await deployment.sandbox.addExchangeCash(18 - Number(cash));
    const order = { ticker, side: 'yes', count: 10 } as const;
    const ends = await Promise.all(
      agents.map((agent, n) => {
        const { predictions } = n % 2 ? elsewhere(agent) : agent;
        return untilFinal(() => predictions.buy(order, 'buy'));
      }),
    );
    // Ten contracts at 65 cents, and the fee: 18 dollars buy them twice.
    expect(ends.map(({ status }) => status).sort()).toEqual([200, 200, 503, 503, 503, 503]);
    for (const [n, end] of ends.entries()) {
      const agent = agents[n]!;
      const cost = end.status === 200 ? costOf(doneOf(end)) : 0n;
      expect(await usdcOf(deployment, agent)).toBe(FUNDS - cost);
      await expectUsed(agent, cost);
      expect(micros((await agent.predictions.balance()).body.data.balanceDollars)).toBe(0n);
    }
    const { predictions } = agents[0]!;
    expect((await predictions.buy(order)).body.data.code).toBe('SERVICE_UNAVAILABLE');
  });
});
