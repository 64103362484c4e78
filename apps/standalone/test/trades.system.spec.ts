import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentClient } from '../src/index.js';
import { atOnce, statuses } from './harness/responses.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { endLeases } from './harness/leases.js';
import { newRecipient } from './harness/recipient.js';
import { usageOf, usedWhenQuiet } from './harness/spending.js';
import {
  holdingsOf,
  landedCount,
  MINTS,
  MOST_LAMPORTS,
  resultOf,
  type TradedSymbol,
  tradesOf,
} from './harness/trading.js';

// Two of every service, and prices that stand still.

let deployment: Deployment;

beforeAll(async () => {
  deployment = await shareDeployment({ copies: 2 });
});

const TOKENS = (Object.keys(MINTS) as TradedSymbol[]).filter((symbol) => !['SOL', 'USDC'].includes(symbol));

/** The number in `<amount> <SYMBOL>` or in a percentage. */
const amountIn = (text: string) => Number(/^-?[\d.]+/.exec(text)?.[0]);

describe('a trade', () => {
  it.each(TOKENS)('of USDC for %s by symbol, and back by mint, moves exactly what is answered', async (symbol) => {
    const agent = await deployment.agent({ SOL: 1, USDC: 50 });
    const bought = resultOf(await agent.trade({ from: 'USDC', to: symbol, amount: 20 }));
    expect(bought).toMatchObject({
      ...{ status: 'confirmed', inputAmount: '20 USDC', inputAmountRaw: '20000000', slippageBps: 50 },
      ...{ inputMint: MINTS.USDC, outputMint: MINTS[symbol] },
      priceImpact: expect.stringMatching(/^-?\d+(\.\d+)?%$/),
    });
    expect(bought.outputAmount).toMatch(new RegExp(`^[\\d.]+ ${symbol}$`));
    expect(BigInt(bought.outputAmountRaw)).toBeGreaterThanOrEqual(BigInt(bought.minOutputAmountRaw));
    const { tokens } = await holdingsOf(deployment, agent);
    expect(tokens).toEqual({ [MINTS.USDC]: 30_000_000n, [MINTS[symbol]]: BigInt(bought.outputAmountRaw) });

    const amount = amountIn(bought.outputAmount);
    const sold = resultOf(await agent.trade({ from: MINTS[symbol], to: MINTS.USDC, amount, slippageBps: 100 }));
    expect(sold).toMatchObject({ inputAmount: bought.outputAmount, inputAmountRaw: bought.outputAmountRaw });
    const after = await holdingsOf(deployment, agent);
    expect(after.tokens).toMatchObject({
      [MINTS.USDC]: 30_000_000n + BigInt(sold.outputAmountRaw),
      [MINTS[symbol]]: 0n,
    });
  });

  it.each(['SOL', MINTS.SOL])('of the native coin, called %s, leaves nothing wrapped on either side', async (sol) => {
    const agent = await deployment.agent({ SOL: 2, USDC: 50 });
    const before = await holdingsOf(deployment, agent);
    const bought = resultOf(await agent.trade({ from: 'USDC', to: sol, amount: 20 }));
    const between = await holdingsOf(deployment, agent);
    expect(between.tokens).toEqual({ [MINTS.USDC]: 30_000_000n });
    const cost = BigInt(bought.outputAmountRaw) - (between.lamports - before.lamports);
    expect([cost >= 5_000n, cost <= MOST_LAMPORTS]).toEqual([true, true]);

    const sold = resultOf(await agent.trade({ from: sol, to: 'USDC', amount: 0.1 }));
    expect(sold).toMatchObject({ inputAmount: '0.1 SOL', inputAmountRaw: '100000000' });
    const after = await holdingsOf(deployment, agent);
    expect(after.tokens).toEqual({ [MINTS.USDC]: 30_000_000n + BigInt(sold.outputAmountRaw) });
    const paid = between.lamports - after.lamports - 100_000_000n;
    expect([paid >= 5_000n, paid <= MOST_LAMPORTS]).toEqual([true, true]);
  });

  it('goes over one venue, and a large one over three', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 400_000 });
    await agent.patchPolicy({ maxSingleTransactionInUsd: 1_000_000, dailyLimitInUsd: 1_000_000 });
    const small = resultOf(await agent.trade({ from: 'USDC', to: 'SOL', amount: 5 }));
    const large = resultOf(await agent.trade({ from: 'USDC', to: 'SOL', amount: 300_000, slippageBps: 300 }));
    // Prices stand still, and so would the pools that it has moved.
    await deployment.sandbox.setPrice({ token: 'SOL', usd: 150 });
    expect([small.route.length, new Set(large.route).size]).toEqual([1, 3]);
    expect(amountIn(large.priceImpact!)).toBeGreaterThan(amountIn(small.priceImpact!));
    expect((await holdingsOf(deployment, agent)).tokens).toEqual({ [MINTS.USDC]: 99_995_000_000n });
  });

  it('stands in history with both sides, and counts by the value of what was spent', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 50 });
    const { transactionId, signature } = resultOf(await agent.trade({ from: 'USDC', to: 'WIF', amount: 12.5 }));
    const [record] = await eventually(
      () => tradesOf(agent),
      ([found]) => found?.status === 'confirmed',
    );
    expect(record).toMatchObject({ id: transactionId, action: 'trade', asset: 'USDC', amount: 12.5, signature });
    expect(record).not.toHaveProperty('to');
    expect(await usedWhenQuiet(agent)).toBe(12_500_000n);
  });

  it('matches its dry run, which does nothing', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 50 });
    const order = { from: 'USDC', to: 'RAY', amount: 20 };
    const dry = (await agent.dryTrade(order)).body.data;
    expect([await landedCount(deployment, agent), await tradesOf(agent)]).toEqual([2, []]);
    expect(await usageOf(agent)).toEqual({ used: 0n, reserved: 0n });
    const real = resultOf(await agent.trade(order));
    expect(dry).toMatchObject({
      ...{ status: 'dry_run', signature: null, inputAmount: '20 USDC', outputAmountRaw: real.outputAmountRaw },
      ...{ minOutputAmountRaw: real.minOutputAmountRaw, route: real.route, sponsored: false },
      policy: { allowed: true, usedUsd: 0, requestedUsd: 20 },
    });
    const { tokens } = await holdingsOf(deployment, agent);
    for (const { mint, amountRaw } of dry.balanceChanges.filter((change) => change.mint !== null)) {
      expect([mint, tokens[mint!]! - (mint === MINTS.USDC ? 50_000_000n : 0n)]).toEqual([mint, BigInt(amountRaw)]);
    }
  });

  it.each([
    [{ from: 'USDC', to: 'NOPE', amount: 1 }, 'UNKNOWN_TOKEN'],
    [{ from: 'USDC', to: MINTS.USDC, amount: 1 }, 'VALIDATION_ERROR'],
    [{ from: 'USDC', to: 'SOL', amount: 0.0000001 }, 'VALIDATION_ERROR'],
    [{ from: 'USDC', to: 'SOL', amount: 51 }, 'INSUFFICIENT_FUNDS'],
    [{ from: 'SOL', to: 'USDC', amount: 1 }, 'INSUFFICIENT_FUNDS'],
    [{ from: 'JUP', to: 'USDC', amount: 1 }, 'INSUFFICIENT_FUNDS'],
  ])('as %j is a 400 %s, dry or not', async (order, code) => {
    const agent = await deployment.agent({ SOL: 0.1, USDC: 50 });
    const [dry, real] = [await agent.dryTrade(order), await agent.trade(order)];
    expect([dry.status, dry.body.data.code]).toEqual([400, code]);
    expect([real.status, real.body.data.code, real.body.message]).toEqual([400, code, dry.body.message]);
    expect(await usageOf(agent)).toEqual({ used: 0n, reserved: 0n });
  });
});

/** Refused, recorded as refused, and nothing reserved or landed. */
async function expectRefused(agent: AgentClient, order: Parameters<AgentClient['trade']>[0], rule: string) {
  const [landed, before] = [await landedCount(deployment, agent), await usageOf(agent)];
  const refused = await agent.trade(order);
  expect([refused.status, refused.body.data.code, refused.body.data.rule]).toEqual([403, 'POLICY_VIOLATION', rule]);
  const dry = await agent.dryTrade(order);
  expect([dry.status, dry.body.data.policy]).toMatchObject([200, { allowed: false, rule }]);
  const [record] = await eventually(
    () => tradesOf(agent),
    ([found]) => found?.status === 'rejected_by_policy',
  );
  expect(record).toMatchObject({ action: 'trade', signature: null });
  expect([await landedCount(deployment, agent), await usageOf(agent)]).toEqual([landed, before]);
}

describe('the policy', () => {
  it('switches trades off, and on again', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 50 });
    await agent.patchPolicy({ allowTrading: false });
    await expectRefused(agent, { from: 'USDC', to: 'SOL', amount: 1 }, 'trading_disabled');
    await agent.patchPolicy({ allowTrading: true });
    expect((await agent.trade({ from: 'USDC', to: 'SOL', amount: 1 })).status).toBe(200);
  });

  it('holds a trade against the single and the daily limit by the value of its input, both sides of each', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 200 });
    await agent.patchPolicy({ maxSingleTransactionInUsd: 20, dailyLimitInUsd: 30 });
    await expectRefused(agent, { from: 'USDC', to: 'SOL', amount: 20.000001 }, 'single_transaction_limit');
    expect((await agent.trade({ from: 'USDC', to: 'SOL', amount: 20 })).status).toBe(200);
    await usedWhenQuiet(agent);
    await expectRefused(agent, { from: 'USDC', to: 'SOL', amount: 10.000001 }, 'daily_limit');
    expect((await agent.trade({ from: 'USDC', to: 'SOL', amount: 10 })).status).toBe(200);
    expect(await usedWhenQuiet(agent)).toBe(30_000_000n);
  });

  it('lets exactly ten of forty trades and transfers through that are asked for at once', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 300 });
    const to = newRecipient();
    await deployment.sandbox.faucet(to, 'USDC', 1);
    await agent.patchPolicy({ dailyLimitInUsd: 50 });
    const both = [agent, agent.at(deployment.url(1))];
    const answers = await atOnce(40, both, async (caller, n): Promise<{ status: number; isTrade: boolean }> => {
      const isTrade = n % 4 < 2;
      const { status } = isTrade
        ? await caller.trade({ from: 'USDC', to: 'SOL', amount: 5 })
        : await caller.transfer({ to, amount: 5, mint: 'USDC' });
      return { status, isTrade };
    });
    expect(statuses(answers)).toEqual({ 200: 10, 403: 30 });
    expect((await holdingsOf(deployment, agent)).tokens).toEqual({ [MINTS.USDC]: 250_000_000n });
    expect(await usedWhenQuiet(agent)).toBe(50_000_000n);
  });

  it('refuses a token without a price, for any token in return', async () => {
    const agent = await deployment.agent({ SOL: 1, ORCA: 10 });
    await deployment.sandbox.setPrice({ token: 'ORCA', usd: null });
    // Each copy of policy may keep what it read before for five seconds, and they answer by turns.
    await eventually(
      async () => {
        const runs = [1, 2, 3, 4].map(() => agent.dryTrade({ from: 'ORCA', to: 'USDC', amount: 1 }));
        return (await Promise.all(runs)).map(({ body }) => body.data.policy?.rule);
      },
      (rules) => rules.every((rule) => rule === 'price_unavailable'),
    );
    await expectRefused(agent, { from: 'ORCA', to: 'USDC', amount: 1 }, 'price_unavailable');
    await deployment.sandbox.setPrice({ token: 'ORCA', usd: 3 });
  });
});

describe('an idempotency key', () => {
  it('trades once in twenty requests at both gateways: one fresh response, the others replays', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 50 });
    const both = [agent, agent.at(deployment.url(1))];
    const order = { from: 'USDC', to: 'JUP', amount: 2 };
    const answers = await atOnce(20, both, (caller) => caller.trade(order, 'the-key'));
    const done = answers.filter(({ status }) => status === 200);
    const fresh = done.filter(({ headers }) => headers.get('idempotency-status') === 'fresh');
    expect([fresh.length, answers.filter(({ status }) => ![200, 202, 409].includes(status))]).toEqual([1, []]);
    const again = await agent.trade(order, 'the-key');
    expect(again.body.data).toMatchObject({ cached: true, originalResponse: fresh[0]!.body.data });
    expect((await holdingsOf(deployment, agent)).tokens).toMatchObject({ [MINTS.USDC]: 48_000_000n });
    expect((await agent.trade({ ...order, slippageBps: 51 }, 'the-key')).status).toBe(422);
    expect(await usedWhenQuiet(agent)).toBe(2_000_000n);
  });

  it('keeps a failure as it keeps a success', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 1 });
    const order = { from: 'USDC', to: 'JUP', amount: 2 };
    const first = await agent.trade(order, 'poor');
    await deployment.sandbox.faucet(agent.address, 'USDC', 10);
    const again = await agent.trade(order, 'poor');
    expect([first.status, again.status, again.headers.get('idempotency-status')]).toEqual([400, 400, 'cached']);
    expect(again.body).toEqual(first.body);
    expect((await agent.trade(order, 'rich')).status).toBe(200);
  });
});

describe('one of two swap services that dies with a signed trade, and stays dead', () => {
  afterAll(() => deployment.restart('swap-0'));

  it('leaves it to the other, which ends it once before the client is answered', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 50 });
    await deployment.crashAt('swap-0', 'trade.after-persisting');
    let isDead = false;
    const dying = deployment.ended('swap-0').then(() => {
      isDead = true;
      return endLeases(deployment, 'swap');
    });
    let count = 0;
    // The services take turns: one of these is given to the one that dies of it.
    for (; !isDead; count += 1) {
      const { status, headers } = await agent.trade({ from: 'USDC', to: 'WIF', amount: 1 }, `key-${count}`);
      expect([status, headers.get('idempotency-status')]).toEqual([200, 'fresh']);
    }
    await dying;
    expect((await holdingsOf(deployment, agent)).tokens[MINTS.USDC]).toBe(50_000_000n - BigInt(count) * 1_000_000n);
    expect(await usedWhenQuiet(agent)).toBe(BigInt(count) * 1_000_000n);
  });
});
