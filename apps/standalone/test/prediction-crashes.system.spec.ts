import { casesOf, eventually } from '@agent-wallet/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { crashAndReturn } from './harness/leases.js';
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

const FUNDS = 100_000_000n;

/**
 * Lets the prediction service die at a step of what is asked for, and brings it back. That an order is placed is a step of
 * its own only where its fills cannot be read at once.
 */
async function dieAt<Answer>(step: string, ask: () => Promise<Answer>): Promise<void> {
  await deployment.crashAt('prediction-0', step);
  const lag = {
    part: 'exchange',
    fault: 'lagPortfolio',
    times: 9,
    match: { path: '/portfolio/fills' },
    delayMs: 60_000,
  } as const;
  if (step.endsWith('.placed')) await deployment.sandbox.arm(lag);
  const first = ask().catch(() => undefined);
  await crashAndReturn(deployment, 'prediction');
  await deployment.sandbox.disarm();
  await first;
}

const ENDS = ['before-answering', 'before-publishing'];
const BUY_STEPS = ['planned', 'escrowed', 'placed', 'posted', ...ENDS];
const SELL_STEPS = ['locked', 'placed', 'posted', ...ENDS];
const WITHDRAW_STEPS = ['set-aside', ...ENDS];

const named = (action: string, steps: readonly string[]) =>
  steps.map((step) => (step === 'before-publishing' ? 'prediction.before-publishing' : `${action}.${step}`));

describe.each(casesOf(named('prediction_buy', BUY_STEPS), { gate: ['prediction_buy.placed'] }))(
  'a prediction service killed at %s',
  (step) => {
    it('has bought once when the request is repeated with the same key', async () => {
      const agent = await deployment.agent({ SOL: 1, USDC: 100 });
      const ticker = await addMarket(deployment);
      const buy = () => agent.predictions.buy({ ticker, side: 'yes', count: 9 }, 'the-key');
      await dieAt(step, buy);
      const bought = doneOf(await untilFinal(buy));
      expect(bought).toMatchObject({ count: 9, status: 'filled', pricePerContract: 65 });
      expect(await usdcOf(deployment, agent)).toBe(FUNDS - costOf(bought));
      expect([await ordersAtExchange(deployment, ticker), await heldAtExchange(deployment, ticker)]).toEqual([1, 9]);
      await expectUsed(agent, costOf(bought));
      expect((await agent.predictions.positions()).body.data.positions).toMatchObject([{ quantity: 9 }]);
    });
  },
);

describe.each(casesOf(named('prediction_sell', SELL_STEPS), { gate: ['prediction_sell.posted'] }))(
  'a prediction service killed at %s',
  (step) => {
    it('has sold once when the request is repeated with the same key', async () => {
      const agent = await deployment.agent({ SOL: 1, USDC: 100 });
      const ticker = await addMarket(deployment);
      const bought = doneOf(await agent.predictions.buy({ ticker, side: 'no', count: 9 }));
      const sell = () => agent.predictions.sell({ ticker, side: 'no', count: 4 }, 'the-key');
      await dieAt(step, sell);
      const sold = doneOf(await untilFinal(sell));
      expect(sold).toMatchObject({ count: 4, status: 'filled' });
      expect(await usdcOf(deployment, agent)).toBe(FUNDS - costOf(bought) + proceedsOf(sold));
      expect([await ordersAtExchange(deployment, ticker), await heldAtExchange(deployment, ticker)]).toEqual([2, -5]);
      expect((await agent.predictions.positions()).body.data.positions).toMatchObject([
        { quantity: 5, lockedQuantity: 0 },
      ]);
    });
  },
);

describe.each(casesOf(named('prediction_withdrawal', WITHDRAW_STEPS), { gate: ['prediction_withdrawal.set-aside'] }))(
  'a prediction service killed at %s',
  (step) => {
    it('has paid once when the request is repeated with the same key', async () => {
      const agent = await deployment.agent({ SOL: 1, USDC: 100 });
      const ticker = await addMarket(deployment);
      const bought = doneOf(await agent.predictions.buy({ ticker, side: 'yes', count: 2 }));
      await deployment.sandbox.settle(ticker, 'yes');
      const balance = async () => micros((await agent.predictions.balance()).body.data.balanceDollars);
      await eventually(balance, (found) => found === 2_000_000n, 60_000);
      const withdraw = () => agent.predictions.withdraw(1.13, 'the-key');
      await dieAt(step, withdraw);
      expect(doneOf(await untilFinal(withdraw))).toMatchObject({ amountDollars: 1.13, newBalanceDollars: 0.87 });
      expect(await usdcOf(deployment, agent)).toBe(FUNDS - costOf(bought) + 1_130_000n);
      expect(await balance()).toBe(870_000n);
    });
  },
);

describe.each(casesOf(['gateway-0', 'policy-0', 'signer-0', 'wallet-0', 'prediction-0'], { gate: ['gateway-0'] }))(
  '%s killed during buys',
  (name) => {
    it('doubles nothing for a client that repeats with the same key', async () => {
      const agent = await deployment.agent({ SOL: 1, USDC: 100 });
      const ticker = await addMarket(deployment);
      const buy = (n: number) => agent.predictions.buy({ ticker, side: 'yes', count: 2 }, `${n}`);
      const all = [1, 2, 3, 4].map((n) => untilFinal(() => buy(n)));
      await deployment.kill(name);
      await deployment.restart(name);
      const answers = await Promise.all(all);
      const done = answers.filter(({ status }) => status === 200).map((answer) => doneOf(answer));
      // What was not begun is a 5xx: nothing moved and nothing will.
      expect(answers.every(({ status }) => status === 200 || status >= 500)).toBe(true);
      const cost = done.reduce((sum, each) => sum + costOf(each), 0n);
      expect(await usdcOf(deployment, agent)).toBe(FUNDS - cost);
      expect(await heldAtExchange(deployment, ticker)).toBe(2 * done.length);
      await expectUsed(agent, cost);
    });
  },
);
