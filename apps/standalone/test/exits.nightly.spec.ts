import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentClient } from '../src/index.js';
import { deploy, type Deployment } from './harness/deployment.js';
import { OWNER_ORIGIN, OwnerConsole } from '../src/testing/owner-console.js';
import { addMarket } from './harness/predicting.js';
import { newRecipient } from './harness/recipient.js';
import { MINTS } from './harness/trading.js';

// Ways by which money left beside every limit. Prices of its own: other files must not see them.

let deployment: Deployment;

beforeAll(async () => {
  deployment = await deploy({ environment: { OWNER_ORIGIN } });
  await deployment.sandbox.setPrice({ freeze: true });
});
afterAll(() => deployment?.stop());
const refusal = (rule: string, figures: object = {}) => ({ status: 403, body: { data: { rule, ...figures } } });
/** Waits until policy reads prices again: it keeps them for five seconds. */
const forgetReadings = () => new Promise((resolve) => setTimeout(resolve, 5_100));

async function rich(limitInUsd: number): Promise<AgentClient> {
  const agent = await deployment.agent({ SOL: 1, USDC: 50 });
  await agent.patchPolicy({ maxSingleTransactionInUsd: limitInUsd, dailyLimitInUsd: limitInUsd });
  return agent;
}

describe('a trade of 200 million dollars', () => {
  it('for 4.4 million dollars of SOL moves nothing, and the answer has both values and the loss', async () => {
    const agent = await rich(1_000_000_000);
    await deployment.sandbox.faucet(agent.address, 'USDC', 200_000_000);
    const order = { from: 'USDC', to: 'SOL', amount: 200_000_000 };
    const refused = await agent.trade(order);
    expect(refused).toMatchObject(refusal('trade_unfair', { inputUsd: 200_000_000, maxLossPercent: 10 }));
    const { leastOutputUsd, lossPercent } = refused.body.data as unknown as Record<string, number>;
    expect(leastOutputUsd).toBeLessThan(10_000_000);
    expect(lossPercent).toBeGreaterThan(90);
    expect(await agent.trade({ ...order, maxPriceImpactPercent: 50 })).toMatchObject(refusal('trade_unfair'));
    expect(await deployment.sandbox.balanceRaw(agent.address, 'USDC')).toBe(200_000_050_000_000n);
  });

  it('of a smaller size passes once the request accepts its price impact', async () => {
    const agent = await rich(10_000_000);
    await deployment.sandbox.faucet(agent.address, 'USDC', 3_000_000);
    const order = { from: 'USDC', to: 'SOL', amount: 2_000_000, slippageBps: 100 };
    expect(await agent.trade(order)).toMatchObject(refusal('trade_unfair'));
    expect(await agent.trade({ ...order, maxPriceImpactPercent: 50 })).toMatchObject({ status: 200 });
  });
});

describe('a price that falls by 99.9 %', () => {
  it('opens no limit, where both sources say it', async () => {
    const agent = await rich(100);
    await deployment.sandbox.faucet(agent.address, 'BONK', 600_000_000);
    const transfer = { to: newRecipient(), mint: 'BONK', amount: 500_000_000 };
    const before = await agent.transfer(transfer);
    expect(before).toMatchObject(refusal('single_transaction_limit'));
    await deployment.sandbox.setPrice({ token: 'BONK', usd: '0.00000002' });
    await forgetReadings();
    const after = await agent.transfer(transfer);
    expect(after).toMatchObject(refusal('single_transaction_limit', { limitUsd: 100 }));
    for (const { body } of [before, after]) {
      expect((body.data as unknown as { requestedUsd: number }).requestedUsd).toBeGreaterThan(9_500);
    }
  });

  it('is refused where one source lies or is silent, and where too little is traded', async () => {
    const agent = await rich(100);
    const lies = {
      JUP: { source: 'aggregator', usd: '0.0005' },
      WIF: { source: 'oracle', ageSeconds: 600 },
      RAY: { source: 'oracle', usd: null },
      ORCA: { source: 'aggregator', liquidityUsd: 9_999 },
    };
    for (const [token, lie] of Object.entries(lies)) await deployment.sandbox.setPrice({ token, ...lie });
    await forgetReadings();
    for (const token of Object.keys(lies)) {
      await deployment.sandbox.faucet(agent.address, token, 10);
      const transfer = { to: newRecipient(), mint: token, amount: 1 };
      expect(await agent.transfer(transfer)).toMatchObject(refusal('price_unavailable'));
    }
  });
});

describe('beside a list of recipients', () => {
  it('309 dollars leave neither by a worthless token nor by bets against a colluding order', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 400 });
    const owner = await OwnerConsole.claiming(deployment, agent);
    const before = await deployment.sandbox.balanceRaw(agent.address, 'USDC');
    const patched = await agent.patchPolicy({ allowedRecipients: [newRecipient()], newRecipients: 'deny' });
    expect(patched).toMatchObject({ status: 200 });
    const { warnings } = patched.body.data as unknown as { warnings: { code: string }[] };
    expect(warnings.map(({ code }) => code)).toEqual([
      'recipients_do_not_limit_trades',
      'recipients_do_not_limit_bets',
    ]);

    const worthless = await deployment.sandbox.createMint({ symbol: 'RUG', decimals: 6, usd: 1 });
    const order = { from: 'USDC', to: worthless, amount: 10 };
    expect(await agent.trade(order)).toMatchObject(refusal('token_not_allowed'));
    expect(await agent.trade({ ...order, allowUnpricedOutput: true, allowRisky: true })).toMatchObject(
      refusal('token_not_allowed'),
    );
    expect(await agent.trade({ from: 'USDC', to: MINTS.USDT, amount: 1 })).toMatchObject({ status: 200 });

    const colluding = await addMarket(deployment, { yesBid: 1, yesAsk: 99 });
    const changes = { allowedMarkets: ['TRUSTED'] };
    expect((await owner.call(`/agents/${await idOf(owner)}/policy`, changes, 'PATCH')).status).toBe(200);
    const bet = await agent.predictions.buy({ ticker: colluding, side: 'yes', count: 3, maxPriceCents: 99 });
    expect(bet).toMatchObject(refusal('market_not_allowed'));
    expect(before - (await deployment.sandbox.balanceRaw(agent.address, 'USDC'))).toBe(1_000_000n);
  });
});

async function idOf(owner: OwnerConsole): Promise<string> {
  const { agents } = (await owner.call('/agents')).body.data as unknown as { agents: { id: string }[] };
  return agents[0]!.id;
}
