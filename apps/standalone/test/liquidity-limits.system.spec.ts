import { eventually } from '@agent-wallet/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { AgentClient } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { doneOf, exactly, liquidityRecords, movedSince } from './harness/liquidity.js';
import { OwnerConsole } from '../src/testing/owner-console.js';
import { addMarket, costOf, doneOf as boughtOf } from './harness/predicting.js';
import { newRecipient, received } from './harness/recipient.js';
import { atOnce, untilFinal } from './harness/responses.js';
import { expectUsed, usageOf, usedWhenQuiet } from './harness/spending.js';
import { holdingsOf, landedCount, MINTS } from './harness/trading.js';

// Two of every service, and a pool of two dollars, so that what left is counted to the base unit.

let deployment: Deployment;
let pool: string;

beforeAll(async () => {
  deployment = await shareDeployment({ copies: 2 });
  ({ pool } = await deployment.sandbox.createPool({ mintA: 'USDC', mintB: 'USDT', depthUsd: '5000000' }));
});

const FUNDS = { SOL: 2, USDC: 1_000, USDT: 1_000 };
const ADD = () => ({ pool, token: 'USDC', amount: 5 });

/** Dollars that left the wallet as tokens of a pool, in base units: micro-dollars. */
const spentOn = ({ spent }: { spent: ReadonlyArray<{ amountRaw: string }> }) =>
  spent.reduce((sum, { amountRaw }) => sum + BigInt(amountRaw), 0n);

describe('a daily limit', () => {
  it('counts what an addition took once it has landed, and not its maxima', async () => {
    const agent = await deployment.agent(FUNDS);
    const dry = (await agent.dryAddLiquidity({ ...ADD(), slippageBps: 1_000 })).body.data;
    const added = doneOf(await agent.addLiquidity({ ...ADD(), slippageBps: 1_000 }));
    expect(await usedWhenQuiet(agent)).toBe(spentOn(added));
    expect(BigInt(Math.round(dry.policy.requestedUsd! * 1e6))).toBeGreaterThan(spentOn(added));
    doneOf(await agent.removeLiquidity({ positionId: pool, percent: 100 }));
    expect(await usedWhenQuiet(agent)).toBe(spentOn(added));
  });

  it('holds for the maxima: what would pass it is refused, with figures', async () => {
    const agent = await deployment.agent(FUNDS);
    await agent.patchPolicy({ dailyLimitInUsd: 10, maxSingleTransactionInUsd: 10 });
    const order = { ...ADD(), amount: 5.01 };
    const refused = await agent.addLiquidity(order);
    expect(refused).toMatchObject({ status: 403, body: { data: { rule: 'single_transaction_limit', limitUsd: 10 } } });
    expect(await agent.addLiquidity(ADD())).toMatchObject({ status: 200 });
    await usedWhenQuiet(agent);
    const second = await agent.addLiquidity({ ...order, amount: 1 });
    expect(second).toMatchObject({ status: 403, body: { data: { rule: 'daily_limit', limitUsd: 10 } } });
    expect(await agent.removeLiquidity({ positionId: pool, percent: 100 })).toMatchObject({ status: 200 });
  });

  it('is passed by no fifty additions that two replicas take at once', async () => {
    const agent = await deployment.agent(FUNDS);
    await agent.patchPolicy({ dailyLimitInUsd: 100 });
    const before = await holdingsOf(deployment, agent);
    const answers = await atOnce(50, [agent, agent.at(deployment.url(1))], (caller) => caller.addLiquidity(ADD()));
    const done = answers.filter(({ status }) => status === 200).map((answer) => doneOf(answer));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, body }) => [status, body.data.rule])).toEqual(
      refused.map(() => [403, 'daily_limit']),
    );
    const sum = done.reduce((all, each) => all + spentOn(each), 0n);
    const { tokens } = await movedSince(deployment, agent, before);
    expect(-tokens[MINTS.USDC]! - tokens[MINTS.USDT]!).toBe(sum);
    expect([sum > 89_000_000n, sum <= 100_000_000n]).toEqual([true, true]);
    expect(await usedWhenQuiet(agent)).toBe(sum);
  });

  it('is passed by nothing of additions, transfers, trades and bets that come at once', async () => {
    const agent = await deployment.agent(FUNDS);
    await agent.patchPolicy({ dailyLimitInUsd: 100 });
    const to = newRecipient();
    await deployment.sandbox.faucet(to, 'USDC', 1);
    const ticker = await addMarket(deployment);
    const counted: bigint[] = [];
    const count = <Answer extends { status: number }>(answer: Answer, cost: (answer: Answer) => bigint) => {
      if (answer.status === 200) counted.push(cost(answer));
      else expect(answer.status).toBe(403);
    };
    const one = async (caller: AgentClient, n: number): Promise<void> => {
      if (n % 10 < 5) return count(await caller.addLiquidity(ADD()), (answer) => spentOn(doneOf(answer)));
      if (n % 10 < 7) return count(await caller.transfer({ to, amount: 5, mint: 'USDC' }), () => 5_000_000n);
      if (n % 10 < 9) return count(await caller.trade({ from: 'USDC', to: 'SOL', amount: 5 }), () => 5_000_000n);
      const bet = await caller.predictions.buy({ ticker, side: 'yes', count: 2 });
      return count(bet, (answer) => costOf(boughtOf(answer)));
    };
    const all = atOnce(100, [agent, agent.at(deployment.url(1))], one);
    let isOver = false;
    const ended = all.finally(() => {
      isOver = true;
    });
    await eventually(
      async () => {
        const { used, reserved } = await usageOf(agent);
        expect(used + reserved).toBeLessThanOrEqual(100_000_000n);
        return isOver;
      },
      (over) => over,
      90_000,
    );
    await ended;
    const sum = counted.reduce((total, each) => total + each, 0n);
    expect([sum > 80_000_000n, sum <= 100_000_000n]).toEqual([true, true]);
    await expectUsed(agent, sum);
    expect(await received(deployment, to)).toBeLessThanOrEqual(100_000_000n);
  });
});

describe('an idempotency key', () => {
  it.each(['addition', 'removal'])('has one effect in fifty requests for an %s at two replicas', async (action) => {
    const agent = await deployment.agent(FUNDS);
    const first = doneOf(await agent.addLiquidity(ADD()));
    await usedWhenQuiet(agent);
    const landed = await landedCount(deployment, agent);
    const ask = (caller: AgentClient) =>
      action === 'addition'
        ? caller.addLiquidity(ADD(), 'the-key')
        : caller.removeLiquidity({ positionId: pool, percent: 50 }, 'the-key');
    const answers = await atOnce(50, [agent, agent.at(deployment.url(1))], async (caller) => {
      const { status, headers, body } = await ask(caller);
      return { status, isFresh: headers.get('idempotency-status') === 'fresh', body };
    });
    expect(answers.filter(({ status, isFresh }) => status === 200 && isFresh)).toHaveLength(1);
    expect(answers.every(({ status }) => [200, 202, 409].includes(status))).toBe(true);
    expect(await landedCount(deployment, agent)).toBe(landed + 1);
    const { tokens } = await holdingsOf(deployment, agent);
    const share = BigInt(first.liquidityRaw);
    if (action === 'removal') expect(tokens[first.lpMint]).toBe(share - share / 2n);
    else expect(tokens[first.lpMint]).toBeGreaterThan(share);
    const other = await agent.addLiquidity({ ...ADD(), amount: 6 }, 'the-key');
    expect([other.status, other.body.data.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
  });
});

describe('an addition above the owner’s amount', () => {
  const waiting = { transactionStatus: 'awaiting_approval', reasons: ['above_amount'] };
  const idOf = ({ body }: { body: { data: unknown } }) => (body.data as { approvalId: string }).approvalId;

  async function claimed(): Promise<{ agent: AgentClient; owner: OwnerConsole }> {
    const agent = await deployment.agent(FUNDS);
    const owner = await OwnerConsole.claiming(deployment, agent);
    expect((await agent.patchPolicy({ approveAboveInUsd: 8 })).status).toBe(200);
    return { agent, owner };
  }

  it('waits for a signature, and then happens once, with the amounts that were signed', async () => {
    const { agent, owner } = await claimed();
    const key = randomUUID();
    const asked = await agent.addLiquidity(ADD(), key);
    expect(asked).toMatchObject({ status: 202, body: { data: waiting } });
    expect((await agent.addLiquidity(ADD(), key)).body.data).toEqual(asked.body.data);
    expect(await usageOf(agent)).toEqual({ used: 0n, reserved: 0n });
    const { document } = (await owner.call(`/approvals/${idOf(asked)}`)).body.data;
    const { terms } = JSON.parse(document) as { readonly terms: object };
    // Within the slippage.
    await deployment.sandbox.swapInPool(pool, MINTS.USDC, '3000000000');
    expect((await owner.approve({ id: idOf(asked) })).body.data.approval).toMatchObject({ state: 'approved' });
    const done = doneOf(await untilFinal(() => agent.addLiquidity(ADD(), key)));
    await deployment.sandbox.changePool(pool, { skewPercent: 0 });
    expect(terms).toMatchObject({ liquidity: done.liquidityRaw });
    const { tokens } = await holdingsOf(deployment, agent);
    expect(tokens).toEqual({
      [MINTS.USDC]: 1_000_000_000n - BigInt(done.spent.find(({ mint }) => mint === MINTS.USDC)!.amountRaw),
      [MINTS.USDT]: 1_000_000_000n - BigInt(done.spent.find(({ mint }) => mint === MINTS.USDT)!.amountRaw),
      [done.lpMint]: BigInt(done.liquidityRaw),
    });
    expect(await usedWhenQuiet(agent)).toBe(spentOn(done));
    // Both replicas, and the same answer.
    const again = await agent.at(deployment.url(1)).addLiquidity(ADD(), key);
    expect(doneOf(again).signature).toBe(done.signature);
    await exactly({ deployment, agent, pool }, () => agent.removeLiquidity({ positionId: pool, percent: 100 }));
  });

  it('that the owner rejects moves nothing', async () => {
    const { agent, owner } = await claimed();
    const key = randomUUID();
    const landed = await landedCount(deployment, agent);
    const asked = await agent.addLiquidity(ADD(), key);
    expect((await owner.call(`/approvals/${idOf(asked)}/reject`, {})).body.data.approval.state).toBe('rejected');
    const refused = await untilFinal(() => agent.addLiquidity(ADD(), key));
    expect(refused).toMatchObject({ status: 403, body: { data: { code: 'APPROVAL_REJECTED', retry: 'never' } } });
    expect(await landedCount(deployment, agent)).toBe(landed);
    const [record] = await eventually(
      () => liquidityRecords(agent),
      ([found]) => found?.status === 'rejected_by_owner',
    );
    expect(record).toMatchObject({ action: 'liquidity_add', signature: null });
  });

  it('whose pool has moved beyond the slippage when it is signed moves nothing', async () => {
    const { agent, owner } = await claimed();
    const key = randomUUID();
    const asked = await agent.addLiquidity(ADD(), key);
    expect(asked.status).toBe(202);
    await deployment.sandbox.changePool(pool, { skewPercent: 4 });
    await owner.approve({ id: idOf(asked) });
    const refused = await untilFinal(() => agent.addLiquidity(ADD(), key));
    await deployment.sandbox.changePool(pool, { skewPercent: 0 });
    expect(refused).toMatchObject({ status: 400, body: { data: { code: 'SLIPPAGE_EXCEEDED' } } });
    expect(await usedWhenQuiet(agent)).toBe(0n);
    expect((await holdingsOf(deployment, agent)).tokens).toEqual({
      [MINTS.USDC]: 1_000_000_000n,
      [MINTS.USDT]: 1_000_000_000n,
    });
  });

  it('does not wait below it', async () => {
    const { agent } = await claimed();
    expect((await agent.addLiquidity({ ...ADD(), amount: 3.5 })).status).toBe(200);
  });
});
