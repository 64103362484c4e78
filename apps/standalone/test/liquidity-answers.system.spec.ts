import { eventually } from '@agent-wallet/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AddOrder, AgentClient, RemoveOrder } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import {
  doneOf,
  liquidityRecords,
  movedSince,
  movementInDryRun,
  poolAddress,
  SOL_USDC,
  withoutLimits,
} from './harness/liquidity.js';
import { usageOf, usedWhenQuiet } from './harness/spending.js';
import { holdingsOf, landedCount, MINTS } from './harness/trading.js';

// What the API says of liquidity: dry runs, refusals, history.

let deployment: Deployment;

beforeAll(async () => {
  deployment = await shareDeployment({ copies: 2 });
});

const ADD: AddOrder = { pool: SOL_USDC, token: 'USDC', amount: 20 };
const BONK_USDC = poolAddress(MINTS.BONK, MINTS.USDC);

const newAgent = (funds: Record<string, number> = { SOL: 2, USDC: 200 }) => deployment.agent(funds);

/** Refuses the same, dry or not, and nothing moves or counts. */
async function expectRefused<Order>(
  agent: AgentClient,
  order: Order,
  [dry, real]: ReadonlyArray<(order: Order) => Promise<unknown>>,
  expected: object,
): Promise<void> {
  const [before, landed] = [await usageOf(agent), await landedCount(deployment, agent)];
  for (const answer of [await dry!(order), await real!(order)]) {
    expect(answer).toMatchObject({ status: 400, body: { data: expected } });
  }
  expect([await usageOf(agent), await landedCount(deployment, agent)]).toEqual([before, landed]);
}

const expectNoAddition = (agent: AgentClient, order: AddOrder, expected: object) =>
  expectRefused(agent, order, [(each) => agent.dryAddLiquidity(each), (each) => agent.addLiquidity(each)], expected);

const expectNoRemoval = (agent: AgentClient, order: RemoveOrder, expected: object) =>
  expectRefused(
    agent,
    order,
    [(each) => agent.dryRemoveLiquidity(each) as never, (each) => agent.removeLiquidity(each) as never],
    expected,
  );

describe('a dry run', () => {
  it.each<AddOrder>([
    ADD,
    { ...ADD, token: 'SOL', amount: 0.2, slippageBps: 1 },
    { ...ADD, maxOtherAmount: 0.01, slippageBps: 1_000 },
  ])('of an addition %j returns exactly what the addition then does, and has no effect', async (order) => {
    const agent = await newAgent();
    const dry = (await agent.dryAddLiquidity(order)).body.data;
    expect(dry).toMatchObject({ status: 'dry_run', signature: null, transactionId: null, policy: { allowed: true } });
    expect(await landedCount(deployment, agent)).toBe(2);
    expect([await usageOf(agent), await liquidityRecords(agent)]).toEqual([{ used: 0n, reserved: 0n }, []]);
    const before = await holdingsOf(deployment, agent);
    const real = doneOf(await agent.addLiquidity(order));
    expect(await movedSince(deployment, agent, before)).toEqual(movementInDryRun(dry));
    const { liquidityRaw, spent, lpMint, rentLamports, networkFeeLamports } = dry;
    expect(real).toMatchObject({ liquidityRaw, spent, lpMint, rentLamports, networkFeeLamports });
    const spentUsd = await usedWhenQuiet(agent);
    expect(spentUsd).toBeLessThanOrEqual(BigInt(Math.round(dry.policy.requestedUsd! * 1_000_000)));
    expect(spentUsd).toBeGreaterThan(0n);
  });

  it.each<Omit<RemoveOrder, 'positionId'>>([
    { percent: 100 },
    { percent: 33.33, slippageBps: 1 },
    { percent: 0.01, slippageBps: 1_000 },
  ])('of a removal %j returns exactly what the removal then does, and has no effect', async (part) => {
    const agent = await newAgent();
    doneOf(await agent.addLiquidity(ADD));
    const used = await usedWhenQuiet(agent);
    const order = { positionId: SOL_USDC, ...part };
    const before = await holdingsOf(deployment, agent);
    const dry = (await agent.dryRemoveLiquidity(order)).body.data;
    expect(await holdingsOf(deployment, agent)).toEqual(before);
    const real = doneOf(await agent.removeLiquidity(order));
    expect(await movedSince(deployment, agent, before)).toEqual(movementInDryRun(dry));
    const { liquidityRaw, received, remainingRaw } = dry;
    expect(real).toMatchObject({ liquidityRaw, received, remainingRaw });
    expect(await usedWhenQuiet(agent)).toBe(used);
  });

  it('counts wrapped SOL that is unwrapped along', async () => {
    const agent = await newAgent({ SOL: 1, USDC: 100, [MINTS.SOL]: 2 });
    const lamports = await deployment.sandbox.balanceRaw(agent.address, 'SOL');
    const before = { lamports, tokens: { [MINTS.USDC]: 100_000_000n, [MINTS.SOL]: 2_000_000_000n } };
    const dry = (await agent.dryAddLiquidity(ADD)).body.data;
    doneOf(await agent.addLiquidity(ADD));
    expect(await movedSince(deployment, agent, before)).toEqual(movementInDryRun(dry));
  });
});

describe('an addition is refused', () => {
  it.each([0, 1_001, -1, 0.5])('for a slippage of %p', async (slippageBps) => {
    await expectNoAddition(await newAgent(), { ...ADD, slippageBps }, { code: 'VALIDATION_ERROR' });
  });

  it.each([
    [{ ...ADD, token: 'JUP' }, 'token'],
    [{ ...ADD, pool: 'nowhere' }, 'pool'],
    [{ ...ADD, amount: 0 }, 'amount'],
    [{ ...ADD, amount: 0.0000001 }, 'amount'],
    [{ ...ADD, maxOtherAmount: 0.0000000001 }, 'maxOtherAmount'],
  ])('for %j, which names the field', async (order, field) => {
    await expectNoAddition(await newAgent(), order, { code: 'VALIDATION_ERROR', details: [{ field }] });
  });

  it.each([
    ['USDC', 1],
    ['USDC', 1_000],
    ['BONK', 50],
    ['BONK', 1_000],
  ])(
    'for too little %s at a slippage of %i, and the least that it names is enough for the pool',
    async (token, slippageBps) => {
      const agent = await newAgent({ SOL: 1, USDC: 10, BONK: 1_000 });
      const order = { pool: BONK_USDC, token, slippageBps };
      const refused = await agent.addLiquidity({ ...order, amount: token === 'USDC' ? 0.000001 : 0.0001 });
      const [, least] = /at least about ([\d.]+) /.exec(JSON.stringify(refused.body))!;
      expect(refused).toMatchObject({ status: 400, body: { data: { code: 'VALIDATION_ERROR' } } });
      const again = await agent.addLiquidity({ ...order, amount: Number(least) });
      if (again.status === 200) return;
      // Of so little, what is rounded up is a large part.
      const [, enough] = /at least about ([\d.]+) /.exec(JSON.stringify(again.body))!;
      doneOf(await agent.addLiquidity({ ...order, amount: Number(enough) }));
    },
  );

  it('for too little of the other token, which it names', async () => {
    const agent = await newAgent();
    const order = { ...ADD, maxOtherAmount: 0.000000001 };
    await expectNoAddition(agent, order, { code: 'VALIDATION_ERROR', details: [{ field: 'maxOtherAmount' }] });
  });

  it.each([
    [
      { ...ADD, amount: 200.000001 },
      { asset: 'USDC', decimals: 6, availableRaw: '200000000', missingRaw: '1' },
    ],
    [
      { ...ADD, token: 'SOL', amount: 2 },
      { asset: 'SOL', decimals: 9 },
    ],
    [
      { ...ADD, token: 'SOL', amount: 1.9 },
      { asset: 'USDC', decimals: 6 },
    ],
    [
      { pool: BONK_USDC, token: 'USDC', amount: 5 },
      { asset: 'BONK', decimals: 5, availableRaw: '0' },
    ],
  ])('for more than the wallet holds: %j', async (order, figures) => {
    const agent = await withoutLimits(await newAgent());
    await expectNoAddition(agent, order, { code: 'INSUFFICIENT_FUNDS', ...figures });
  });
});

describe('a removal is refused', () => {
  it.each([
    [{ percent: 0 }, 'VALIDATION_ERROR'],
    [{ percent: 100.01 }, 'VALIDATION_ERROR'],
    [{}, 'VALIDATION_ERROR'],
    [{ liquidityRaw: '0' }, 'VALIDATION_ERROR'],
    [{ percent: 100, slippageBps: 0 }, 'VALIDATION_ERROR'],
    [{ percent: 100, slippageBps: 1_001 }, 'VALIDATION_ERROR'],
  ])('as %j with %s', async (part, code) => {
    const agent = await newAgent();
    doneOf(await agent.addLiquidity(ADD));
    await usedWhenQuiet(agent);
    await expectNoRemoval(agent, { positionId: SOL_USDC, ...part }, { code });
  });

  it('without a position, with what is there', async () => {
    const figures = { positionId: SOL_USDC, requestedRaw: '0', availableRaw: '0' };
    const order = { positionId: SOL_USDC, percent: 50 };
    await expectNoRemoval(await newAgent(), order, { code: 'INSUFFICIENT_POSITION', ...figures });
  });

  it.each([
    [{ percent: 50, liquidityRaw: '1' }, { code: 'VALIDATION_ERROR' }],
    [{ liquidityRaw: '1' }, { code: 'VALIDATION_ERROR', details: [{ field: 'liquidityRaw' }] }],
    [{ liquidityRaw: '99999999999999' }, { code: 'INSUFFICIENT_POSITION', requestedRaw: '99999999999999' }],
  ])('as %j, which names liquidity tokens, with %j', async (part, expected) => {
    const agent = await newAgent();
    doneOf(await agent.addLiquidity(ADD));
    await usedWhenQuiet(agent);
    await expectNoRemoval(agent, { positionId: SOL_USDC, ...part }, expected);
  });
});

describe('history', () => {
  it('has what moved by an addition and a removal', async () => {
    const agent = await newAgent();
    const added = doneOf(await agent.addLiquidity(ADD));
    const removed = doneOf(await agent.removeLiquidity({ positionId: SOL_USDC, percent: 40 }));
    const records = await eventually(
      () => liquidityRecords(agent),
      (found) => found.filter(({ status }) => status === 'confirmed').length === 2,
    );
    const tokensOf = (moved: typeof added.spent | typeof removed.received) =>
      moved.map(({ mint, symbol, amount, amountRaw }) => ({ mint, symbol, amount, amountRaw }));
    const common = { venue: 'raydium-cpmm', pool: SOL_USDC, positionId: SOL_USDC, slippageBps: 50 };
    expect(records).toMatchObject([
      {
        ...{ id: added.transactionId, action: 'liquidity_add', signature: added.signature },
        metadata: { ...common, liquidityRaw: added.liquidityRaw, tokens: tokensOf(added.spent) },
      },
      {
        ...{ id: removed.transactionId, action: 'liquidity_remove', signature: removed.signature },
        metadata: { ...common, liquidityRaw: removed.liquidityRaw, tokens: tokensOf(removed.received) },
      },
    ]);
  });

  it('has a refusal by policy, and a failure', async () => {
    const agent = await newAgent();
    await agent.patchPolicy({ maxSingleTransactionInUsd: 10 });
    const refused = await agent.addLiquidity(ADD);
    expect(refused).toMatchObject({ status: 403, body: { data: { rule: 'single_transaction_limit' } } });
    const short = await agent.addLiquidity({ ...ADD, amount: 1_000 });
    expect([short.status, short.body.data.code]).toEqual([400, 'INSUFFICIENT_FUNDS']);
    const records = await eventually(
      () => liquidityRecords(agent),
      (found) => found.length === 2,
    );
    expect(records.map(({ status, signature }) => [status, signature])).toEqual([
      ['failed', null],
      ['rejected_by_policy', null],
    ]);
  });
});

describe('the switch of the policy', () => {
  it('stops additions and removals, and lets them go on', async () => {
    const agent = await newAgent();
    doneOf(await agent.addLiquidity(ADD));
    const remove = { positionId: SOL_USDC, percent: 100 };
    await usedWhenQuiet(agent);
    const landed = await landedCount(deployment, agent);
    await agent.patchPolicy({ allowLiquidityProvision: false });
    const rule = 'liquidity_disabled';
    const refusal = { status: 403, body: { data: { code: 'POLICY_VIOLATION', rule } } };
    expect([await agent.addLiquidity(ADD), await agent.removeLiquidity(remove)]).toMatchObject([refusal, refusal]);
    const dry = { status: 200, body: { data: { policy: { allowed: false, rule } } } };
    expect([await agent.dryAddLiquidity(ADD), await agent.dryRemoveLiquidity(remove)]).toMatchObject([dry, dry]);
    expect(await landedCount(deployment, agent)).toBe(landed);
    await agent.patchPolicy({ allowLiquidityProvision: true });
    expect((await agent.removeLiquidity(remove)).status).toBe(200);
  });
});
