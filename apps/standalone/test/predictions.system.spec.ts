import { eventually } from '@agent-wallet/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentClient } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { addMarket, costOf, doneOf, heldAtExchange, proceedsOf, usdcOf } from './harness/predicting.js';
import { expectUsed, micros } from './harness/spending.js';

let deployment: Deployment;

beforeAll(async () => {
  deployment = await shareDeployment();
});

const FUNDS = 100_000_000n;
const agentWithMoney = () => deployment.agent({ SOL: 1, USDC: 100 });

/** Waits until the ledger has paid a settled market to an agent; micro-dollars. */
async function paidBalance(agent: AgentClient, expected: bigint): Promise<bigint> {
  const balance = async () => micros((await agent.predictions.balance()).body.data.balanceDollars);
  return eventually(balance, (found) => found === expected, 60_000);
}

describe('an agent that buys, sells and is paid', () => {
  it('moves exactly what its responses say, in the wallet, in the limits and in history', async () => {
    const agent = await agentWithMoney();
    const { predictions } = agent;
    const ticker = await addMarket(deployment);
    const bought = doneOf(await predictions.buy({ ticker, side: 'yes', count: 10 }));
    expect(bought).toMatchObject({ count: 10, pricePerContract: 65, status: 'filled', side: 'yes' });
    expect(await usdcOf(deployment, agent)).toBe(FUNDS - costOf(bought));
    // The escrow counted at first; what came back does not count any more.
    await expectUsed(agent, costOf(bought));

    const sold = doneOf(await predictions.sell({ ticker, side: 'yes', count: 4 }));
    expect(sold).toMatchObject({ count: 4, pricePerContract: 60, status: 'filled' });
    expect(await usdcOf(deployment, agent)).toBe(FUNDS - costOf(bought) + proceedsOf(sold));
    await expectUsed(agent, costOf(bought));
    expect(await heldAtExchange(deployment, ticker)).toBe(6);
    const { positions } = (await predictions.positions('?settled=false')).body.data;
    expect(positions).toMatchObject([{ ticker, side: 'yes', quantity: 6, lockedQuantity: 0, averagePrice: 65 }]);

    await deployment.sandbox.settle(ticker, 'yes');
    expect(await paidBalance(agent, 6_000_000n)).toBe(6_000_000n);
    const settled = (await predictions.positions('?settled=true')).body.data;
    expect(settled.positions).toMatchObject([{ settled: true, settlementResult: 'won', settlementPayoutDollars: 6 }]);
    expect(settled.summary).toEqual({ totalPositions: 1, openPositions: 0, settledPositions: 1 });

    const before = await usdcOf(deployment, agent);
    const withdrawn = doneOf(await predictions.withdraw(1.13));
    expect(withdrawn).toMatchObject({ status: 'confirmed', amountDollars: 1.13, newBalanceDollars: 4.87 });
    expect((await usdcOf(deployment, agent)) - before).toBe(1_130_000n);
    expect((await predictions.withdraw(4.88)).body.data.code).toBe('INSUFFICIENT_FUNDS');
    for (const action of ['prediction_buy', 'prediction_sell', 'prediction_settlement', 'prediction_withdrawal']) {
      const confirmed = async () =>
        (await agent.history(action)).body.data.transactions.filter(({ status }) => status === 'confirmed');
      const [record, ...more] = await eventually(confirmed, (found) => found.length > 0);
      expect([record, more]).toMatchObject([{ asset: 'USDC', metadata: expect.any(Object) }, []]);
    }
    const { orders } = (await predictions.orders()).body.data;
    expect(orders.map(({ action, count, status }) => [action, count, status])).toEqual([
      ['sell', 4, 'filled'],
      ['buy', 10, 'filled'],
    ]);
  });

  it('is paid right on both sides of one market, though they cancel out at the exchange', async () => {
    const [yes, no] = [await agentWithMoney(), await agentWithMoney()];
    const ticker = await addMarket(deployment, { yesBid: 48, yesAsk: 52 });
    const first = doneOf(await yes.predictions.buy({ ticker, side: 'yes', count: 7 }));
    const second = doneOf(await no.predictions.buy({ ticker, side: 'no', count: 5 }));
    expect([first.pricePerContract, second.pricePerContract]).toEqual([52, 52]);
    expect(await heldAtExchange(deployment, ticker)).toBe(2);
    await deployment.sandbox.settle(ticker, 'no');
    expect(await paidBalance(no, 5_000_000n)).toBe(5_000_000n);
    const lost = async () => (await yes.predictions.positions('?settled=true')).body.data.positions;
    expect(await eventually(lost, (found) => found.length > 0)).toMatchObject([
      { settlementResult: 'lost', settlementPayoutDollars: 0, quantity: 7 },
    ]);
    expect((await yes.predictions.balance()).body.data.balanceCents).toBe(0);
  });

  it.each([
    // The exchange has no word for a market that was called off: it pays a value, as a scalar one does.
    ['void' as const, 37, 'scalar', 740_000n],
    ['scalar' as const, 42, 'scalar', 840_000n],
  ])('is paid what a %s market is worth', async (result, cents, shown, paid) => {
    const agent = await agentWithMoney();
    const ticker = await addMarket(deployment);
    doneOf(await agent.predictions.buy({ ticker, side: 'yes', count: 2 }));
    await deployment.sandbox.settle(ticker, result, cents);
    expect(await paidBalance(agent, paid)).toBe(paid);
    const { positions } = (await agent.predictions.positions('?settled=true')).body.data;
    expect(positions).toMatchObject([{ settlementResult: shown, settlementPayoutDollars: Number(paid) / 1e6 }]);
  });
});

describe('an agent whose lists allow nothing more', () => {
  it('buys in no other market and trades for no other token, but sells what it has', async () => {
    const agent = await agentWithMoney();
    const [listed, other] = [await addMarket(deployment), await addMarket(deployment)];
    expect((await agent.patchPolicy({ allowedMarkets: [listed], allowedTokens: [] })).status).toBe(200);
    const bought = doneOf(await agent.predictions.buy({ ticker: listed, side: 'yes', count: 2 }));
    const unlisted = await agent.predictions.buy({ ticker: other, side: 'yes', count: 2 });
    expect(unlisted).toMatchObject({ status: 403, body: { data: { rule: 'market_not_allowed' } } });
    const dry = (await agent.predictions.dryBuy({ ticker: other, side: 'yes', count: 2 })).body.data;
    expect(dry).toMatchObject({ policy: { allowed: false, rule: 'market_not_allowed' } });
    const traded = await agent.trade({ from: 'USDC', to: 'SOL', amount: 1 });
    expect(traded).toMatchObject({ status: 403, body: { data: { rule: 'token_not_allowed' } } });
    expect((await agent.patchPolicy({ allowedMarkets: [] })).status).toBe(200);
    const sold = doneOf(await agent.predictions.sell({ ticker: listed, side: 'yes', count: 2 }));
    expect(await usdcOf(deployment, agent)).toBe(FUNDS - costOf(bought) + proceedsOf(sold));
  });
});

describe('money that is there once', () => {
  it('is withdrawn once by twenty requests at the same time', async () => {
    const agent = await agentWithMoney();
    const ticker = await addMarket(deployment);
    doneOf(await agent.predictions.buy({ ticker, side: 'yes', count: 5 }));
    await deployment.sandbox.settle(ticker, 'yes');
    await paidBalance(agent, 5_000_000n);
    const before = await usdcOf(deployment, agent);
    const answers = await Promise.all(Array.from({ length: 20 }, () => agent.predictions.withdraw(1)));
    const done = answers.filter(({ status }) => status === 200).length;
    expect(done).toBe(5);
    expect((await usdcOf(deployment, agent)) - before).toBe(5_000_000n);
    expect((await agent.predictions.balance()).body.data).toMatchObject({ balanceCents: 0, reservedCents: 0 });
  });

  it('is sold once by two requests at the same time', async () => {
    const agent = await agentWithMoney();
    const ticker = await addMarket(deployment);
    doneOf(await agent.predictions.buy({ ticker, side: 'no', count: 6 }));
    const order = { ticker, side: 'no', count: 6 } as const;
    const answers = await Promise.all([1, 2].map(() => agent.predictions.sell(order)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const refused = answers.find(({ status }) => status === 400);
    expect(refused?.body.data.code).toBe('INSUFFICIENT_POSITION');
    expect(await heldAtExchange(deployment, ticker)).toBe(0);
  });

  it('is spent once for a key, however often it is sent', async () => {
    const agent = await agentWithMoney();
    const ticker = await addMarket(deployment);
    const order = { ticker, side: 'yes', count: 3 } as const;
    const answers = await Promise.all(Array.from({ length: 10 }, () => agent.predictions.buy(order, 'one')));
    expect(answers.every(({ status }) => [200, 202, 409].includes(status))).toBe(true);
    const bought = doneOf(await agent.predictions.buy(order, 'one'));
    expect(await usdcOf(deployment, agent)).toBe(FUNDS - costOf(bought));
    expect(await heldAtExchange(deployment, ticker)).toBe(3);
  });
});

describe('a limit', () => {
  it('counts the escrow while it is held: of parallel buys no more than fit are made', async () => {
    const agent = await agentWithMoney();
    await agent.patchPolicy({ maxSingleTransactionInUsd: 20, dailyLimitInUsd: 20 });
    const ticker = await addMarket(deployment);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => agent.predictions.buy({ ticker, side: 'yes', count: 10 })),
    );
    const done = answers.filter(({ status }) => status === 200).map(doneOf);
    const refused = answers.filter(({ status }) => status === 403);
    expect(done.length + refused.length).toBe(5);
    expect(refused.length).toBeGreaterThan(0);
    for (const { body } of refused) expect(body.data).toMatchObject({ code: 'POLICY_VIOLATION', rule: 'daily_limit' });
    const cost = done.reduce((sum, buy) => sum + costOf(buy), 0n);
    expect(cost).toBeLessThanOrEqual(20_000_000n);
    await expectUsed(agent, cost);
  });

  it('refuses a single buy by its worst case, and tells so in a dry run', async () => {
    const agent = await agentWithMoney();
    await agent.patchPolicy({ maxSingleTransactionInUsd: 6 });
    const ticker = await addMarket(deployment);
    const order = { ticker, side: 'yes', count: 10 } as const;
    const rule = 'single_transaction_limit';
    expect((await agent.predictions.dryBuy(order)).body.data.policy).toMatchObject({ allowed: false, rule });
    expect(await agent.predictions.buy(order)).toMatchObject({ status: 403, body: { data: { rule } } });
    expect(await usdcOf(deployment, agent)).toBe(FUNDS);
  });
});

describe('a dry run', () => {
  it('tells what the real buy and sale then do, to the micro-dollar, and leaves nothing behind', async () => {
    const agent = await agentWithMoney();
    const { predictions } = agent;
    const ticker = await addMarket(deployment);
    const buy = { ticker, side: 'yes', count: 10, maxPriceCents: 70 } as const;
    const dry = (await predictions.dryBuy(buy)).body.data;
    expect([dry.status, dry.transactionId, await usdcOf(deployment, agent)]).toEqual(['dry_run', null, FUNDS]);
    const bought = doneOf(await predictions.buy(buy));
    const { count, pricePerContract, totalCostDollars, feeDollars, refundedDollars } = bought;
    expect(dry).toMatchObject({ count, pricePerContract, totalCostDollars, feeDollars, refundedDollars });
    const usdc = dry.balanceChanges.find(({ symbol }) => symbol === 'USDC');
    expect(usdc?.amountRaw).toBe(String(-costOf(bought)));

    const sell = { ticker, side: 'yes', count: 10, minPriceCents: 50 } as const;
    const drySale = (await predictions.drySell(sell)).body.data;
    const sold = doneOf(await predictions.sell(sell));
    const { totalProceedsDollars } = sold;
    expect(drySale).toMatchObject({ count: 10, totalProceedsDollars, feeDollars: sold.feeDollars });
    const { orders } = (await predictions.orders()).body.data;
    expect(orders).toHaveLength(2);
  });
});
