import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentClient, Fault } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import {
  addMarket,
  costOf,
  doneOf,
  heldAtExchange,
  ordersAtExchange,
  proceedsOf,
  untilFinal,
  usdcOf,
} from './harness/predicting.js';
import { expectUsed, micros } from './harness/spending.js';

let deployment: Deployment;

beforeAll(async () => {
  deployment = await shareDeployment();
});

afterEach(() => deployment?.sandbox.disarm());
const FUNDS = 100_000_000n;
const agentWithMoney = () => deployment.agent({ SOL: 1, USDC: 100 });
const arm = (fault: string, more: Partial<Fault> = {}) => deployment.sandbox.arm({ part: 'exchange', fault, ...more });

/** Nothing is used of the limit, and nothing is on its way. */
async function expectNothingSpent(agent: AgentClient): Promise<void> {
  expect(await usdcOf(deployment, agent)).toBe(FUNDS);
  await expectUsed(agent, 0n);
  expect((await agent.predictions.balance()).body.data.balanceCents).toBe(0);
}

/** Faults in spite of which an order is placed, once. */
const SURVIVED: ReadonlyArray<readonly [string, Partial<Fault>]> = [
  ['error429', { times: 3 }],
  ['error500', {}],
  ['errorAfterAccept', {}],
  ['dropAfterAccept', {}],
  ['delay', { delayMs: 1_500 }],
  ['lagPortfolio', { times: 5, delayMs: 2_000 }],
];

describe.each(SURVIVED)('an exchange with %s', (fault, more) => {
  it('fills one order for a buy, and one for a sale', async () => {
    const agent = await agentWithMoney();
    const ticker = await addMarket(deployment);
    await arm(fault, more);
    const buy = { ticker, side: 'yes', count: 8 } as const;
    const bought = doneOf(await untilFinal(() => agent.predictions.buy(buy, 'buy')));
    expect(bought).toMatchObject({ count: 8, status: 'filled', pricePerContract: 65 });
    expect(await ordersAtExchange(deployment, ticker)).toBe(1);
    expect(await usdcOf(deployment, agent)).toBe(FUNDS - costOf(bought));

    await deployment.sandbox.disarm();
    await arm(fault, more);
    const sell = { ticker, side: 'yes', count: 8 } as const;
    const sold = doneOf(await untilFinal(() => agent.predictions.sell(sell, 'sell')));
    expect(sold).toMatchObject({ count: 8, status: 'filled', pricePerContract: 60 });
    expect([await ordersAtExchange(deployment, ticker), await heldAtExchange(deployment, ticker)]).toEqual([2, 0]);
    expect(await usdcOf(deployment, agent)).toBe(FUNDS - costOf(bought) + proceedsOf(sold));
    await expectUsed(agent, costOf(bought));
  });
});

describe('an exchange that', () => {
  it('fills a part: the rest comes back, and no longer counts', async () => {
    const agent = await agentWithMoney();
    const ticker = await addMarket(deployment);
    await arm('partialFill');
    const bought = doneOf(await agent.predictions.buy({ ticker, side: 'no', count: 10 }));
    expect(bought.status).toBe('partially_filled');
    expect(bought.count).toBeGreaterThan(0);
    expect(bought.count).toBeLessThan(10);
    expect(await usdcOf(deployment, agent)).toBe(FUNDS - costOf(bought));
    await expectUsed(agent, costOf(bought));
    const { positions } = (await agent.predictions.positions()).body.data;
    expect(positions).toMatchObject([{ side: 'no', quantity: bought.count }]);
  });

  it('refuses the order: everything comes back before the error is answered', async () => {
    const agent = await agentWithMoney();
    const ticker = await addMarket(deployment);
    await arm('rejectOrder');
    const key = 'refused';
    const ask = () => agent.predictions.buy({ ticker, side: 'yes', count: 10 }, key);
    const answer = await untilFinal(ask);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.body.data.transactionId).toBeDefined();
    await expectNothingSpent(agent);
    expect((await ask()).body.data.code).toBe(answer.body.data.code);
  });

  it('tells of a settlement twice: it is paid once', async () => {
    const agent = await agentWithMoney();
    const ticker = await addMarket(deployment);
    doneOf(await agent.predictions.buy({ ticker, side: 'yes', count: 3 }));
    await arm('duplicateSettlement', { times: 10 });
    await deployment.sandbox.settle(ticker, 'yes');
    const balance = async () => micros((await agent.predictions.balance()).body.data.balanceDollars);
    await eventually(balance, (found) => found === 3_000_000n, 60_000);
    // Another market that is settled afterwards: the ledger has gone round again.
    const later = await addMarket(deployment);
    doneOf(await agent.predictions.buy({ ticker: later, side: 'no', count: 1 }));
    await deployment.sandbox.settle(later, 'no');
    expect(await eventually(balance, (found) => found > 3_000_000n, 60_000)).toBe(4_000_000n);
  });

  it('holds orders up while the market closes: an error, and everything comes back', async () => {
    const agent = await agentWithMoney();
    const ticker = await addMarket(deployment);
    await arm('delay', { delayMs: 3_000 });
    const buying = agent.predictions.buy({ ticker, side: 'yes', count: 10 }, 'closing');
    await eventually(
      () => usdcOf(deployment, agent),
      (held) => held < FUNDS,
    );
    await deployment.sandbox.setMarketStatus(ticker, 'closed');
    await buying;
    const answer = await untilFinal(
      () => agent.predictions.buy({ ticker, side: 'yes', count: 10 }, 'closing'),
      180_000,
    );
    expect([answer.status, answer.body.data.code]).toEqual([400, 'MARKET_CLOSED']);
    expect(answer.body.data.signature).toMatch(/^\w{80,}$/);
    expect(answer.body.data.refundSignature).toMatch(/^\w{80,}$/);
    await expectNothingSpent(agent);
    expect((await agent.history('prediction_buy')).body.data.transactions).toMatchObject([{ status: 'failed' }]);
    expect((await agent.predictions.buy({ ticker, side: 'yes', count: 1 })).body.data.code).toBe('MARKET_CLOSED');
  });

  it('holds orders up while the price runs away: cancelled, and everything comes back', async () => {
    const agent = await agentWithMoney();
    const ticker = await addMarket(deployment);
    await arm('delay', { delayMs: 3_000 });
    const order = { ticker, side: 'yes', count: 10 } as const;
    const buying = agent.predictions.buy(order, 'runaway');
    await eventually(
      () => usdcOf(deployment, agent),
      (held) => held < FUNDS,
    );
    await deployment.sandbox.setBook(ticker, { yesBids: [[80, 500]], noBids: [[15, 500]] });
    await buying;
    const bought = doneOf(await untilFinal(() => agent.predictions.buy(order, 'runaway')));
    expect(bought).toMatchObject({ status: 'cancelled', count: 0, totalCostDollars: 0, feeDollars: 0 });
    await expectNothingSpent(agent);
  });
});

describe('a buy that cannot be', () => {
  it('is cancelled before anything moves when the book is dearer than the agent pays', async () => {
    const agent = await agentWithMoney();
    const ticker = await addMarket(deployment);
    const order = { ticker, side: 'yes', count: 1, maxPriceCents: 50 } as const;
    const nothing = { status: 'cancelled', count: 0, totalCostDollars: 0, feeDollars: 0, refundedDollars: 0 };
    expect(doneOf(await untilFinal(() => agent.predictions.buy(order, 'dear')))).toMatchObject({
      ...nothing,
      ...{ signature: null, explorerUrl: null, refundSignature: null },
    });
    expect((await agent.predictions.dryBuy(order)).body.data).toMatchObject({ count: 0, balanceChanges: [] });
    await expectNothingSpent(agent);
  });

  it('is refused before anything moves', async () => {
    const agent = await agentWithMoney();
    const ticker = await addMarket(deployment);
    const buy = (more: object = {}) => agent.predictions.buy({ ticker, side: 'yes', count: 1, ...more });
    // What the exchange shows is believed for a moment.
    const isRefused = async (code: string) => {
      const dry = () => agent.predictions.dryBuy({ ticker, side: 'yes', count: 1 });
      await eventually(dry, ({ body }) => body.data.code === code);
      expect((await buy()).body.data.code).toBe(code);
    };
    await deployment.sandbox.setBook(ticker, { yesBids: [], noBids: [] });
    await isRefused('NO_LIQUIDITY');
    await deployment.sandbox.setMarketStatus(ticker, 'paused');
    await isRefused('MARKET_PAUSED');
    await deployment.sandbox.setMarketStatus(ticker, 'closed');
    await isRefused('MARKET_CLOSED');
    expect((await buy({ ticker: 'NO-SUCH' })).body.data.code).toBe('NOT_FOUND');
    expect((await deployment.sandbox.transactions(agent.address)).length).toBe(2);
    await expectNothingSpent(agent);
  });

  it('for lack of USDC says so', async () => {
    const poor = await deployment.agent({ SOL: 1, USDC: 1 });
    const ticker = await addMarket(deployment);
    const answer = await poor.predictions.buy({ ticker, side: 'yes', count: 10 });
    expect([answer.status, answer.body.data.code]).toEqual([400, 'INSUFFICIENT_FUNDS']);
    expect(await usdcOf(deployment, poor)).toBe(1_000_000n);
  });
});
