import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AddOrder } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { doneOf, exactly, poolAddress, poolOf, SOL_USDC, SOL_USDC_LP, withoutLimits } from './harness/liquidity.js';
import { holdingsOf, MINTS } from './harness/trading.js';

// The pools that a new sandbox has: of two fee tiers, with SOL as either side.

let deployment: Deployment;

beforeAll(async () => {
  deployment = await shareDeployment({ copies: 2 });
});

const FUNDS = { SOL: 4, USDC: 400, JUP: 400, BONK: 10_000_000 };
/** Amounts of about the same value. */
const AMOUNTS = { SOL: 0.1, USDC: 15, JUP: 30, BONK: 750_000 };

const POOLS = [
  ['SOL', 'USDC', 0],
  ['SOL', 'USDC', 1],
  ['JUP', 'SOL', 0],
  ['BONK', 'USDC', 0],
] as const;

const newAgent = async () => withoutLimits(await deployment.agent(FUNDS));

describe.each(POOLS)('liquidity of %s and %s in fee tier %i', (token0, token1, tier) => {
  const pool = poolAddress(MINTS[token0], MINTS[token1], tier);

  it.each([
    [token0, token1, false],
    [token1, token0, false],
    [token0, token1, true],
    [token1, token0, true],
  ])('is added by %s, where a most of %s is given (%p), and removed in parts', async (token, other, hasMost) => {
    const [agent, bystander] = [await newAgent(), await newAgent()];
    const amount = AMOUNTS[token];
    doneOf(await bystander.addLiquidity({ pool, token, amount }));
    const theirs = await holdingsOf(deployment, bystander);
    const at = { deployment, agent, pool };
    // Half of what the pool would take: this side is the one that binds.
    const most = hasMost ? { maxOtherAmount: AMOUNTS[other] / 2 } : {};
    const order: AddOrder = { pool, token, amount, slippageBps: 100, ...most };
    const added = await exactly(at, () => agent.addLiquidity(order));
    expect(added.spent.map(({ symbol }) => symbol)).toEqual([token0, token1]);
    for (const { amountRaw, maxAmountRaw } of added.spent) {
      expect(BigInt(amountRaw)).toBeLessThanOrEqual(BigInt(maxAmountRaw));
    }
    const half = await exactly(at, () => agent.removeLiquidity({ positionId: added.positionId, percent: 50 }));
    expect(BigInt(half.liquidityRaw)).toBe(BigInt(added.liquidityRaw) / 2n);
    const rest = await exactly(at, () => agent.removeLiquidity({ positionId: pool, percent: 99.99, slippageBps: 1 }));
    expect(BigInt(rest.liquidityRaw)).toBe((BigInt(half.remainingRaw) * 9_999n) / 10_000n);
    const { tokens } = await holdingsOf(deployment, agent);
    expect(tokens[added.lpMint]).toBe(BigInt(rest.remainingRaw));
    expect(await holdingsOf(deployment, bystander)).toEqual(theirs);
  });

  it('is removed by an exact number of liquidity tokens', async () => {
    const agent = await newAgent();
    const at = { deployment, agent, pool };
    const added = await exactly(at, () => agent.addLiquidity({ pool, token: token0, amount: AMOUNTS[token0] }));
    const liquidityRaw = String(BigInt(added.liquidityRaw) - 7n);
    const removed = await exactly(at, () => agent.removeLiquidity({ positionId: pool, liquidityRaw, slippageBps: 1 }));
    expect(removed).toMatchObject({ liquidityRaw, remainingRaw: '7' });
  });
});

describe('liquidity of two pools of the same tokens', () => {
  it('is two positions, and the one can be removed without the other', async () => {
    const high = poolAddress(MINTS.SOL, MINTS.USDC, 1);
    const agent = await newAgent();
    const added = await exactly({ deployment, agent, pool: SOL_USDC }, () =>
      agent.addLiquidity({ pool: SOL_USDC, token: 'USDC', amount: 20 }),
    );
    expect(added.lpMint).toBe(SOL_USDC_LP);
    await exactly({ deployment, agent, pool: high }, () =>
      agent.addLiquidity({ pool: high, token: MINTS.USDC, amount: 20 }),
    );
    await exactly({ deployment, agent, pool: high }, () => agent.removeLiquidity({ positionId: high, percent: 100 }));
    expect((await holdingsOf(deployment, agent)).tokens[SOL_USDC_LP]).toBe(BigInt(added.liquidityRaw));
    const again = await agent.removeLiquidity({ positionId: high, percent: 100 });
    expect([again.status, again.body.data.code]).toEqual([400, 'INSUFFICIENT_POSITION']);
  });

  it('is added to what the wallet holds already, and a percent is of all of it', async () => {
    const agent = await newAgent();
    const at = { deployment, agent, pool: SOL_USDC };
    const add = () => exactly(at, () => agent.addLiquidity({ pool: SOL_USDC, token: 'SOL', amount: 0.05 }));
    const [first, second] = [await add(), await add()];
    expect([first.rentLamports, second.rentLamports]).toEqual([2_039_280, 0]);
    const all = await exactly(at, () => agent.removeLiquidity({ positionId: SOL_USDC, percent: 100 }));
    expect(BigInt(all.liquidityRaw)).toBe(BigInt(first.liquidityRaw) + BigInt(second.liquidityRaw));
  });

  it('earns its share of the fees of the swaps of others', async () => {
    const agent = await newAgent();
    const added = doneOf(await agent.addLiquidity({ pool: SOL_USDC, token: 'USDC', amount: 200 }));
    const product = ({ reserves, lpSupply }: Awaited<ReturnType<typeof poolOf>>) =>
      (BigInt(reserves[0]) * BigInt(reserves[1]) * 10n ** 30n) / BigInt(lpSupply) ** 2n;
    const before = product(await poolOf(deployment, SOL_USDC));
    await deployment.sandbox.swapInPool(SOL_USDC, MINTS.USDC, '30000000000');
    await deployment.sandbox.changePool(SOL_USDC, { skewPercent: 0 });
    expect(product(await poolOf(deployment, SOL_USDC))).toBeGreaterThan(before);
    const removed = doneOf(await agent.removeLiquidity({ positionId: SOL_USDC, percent: 100 }));
    removed.received.forEach(({ amountRaw }, i) =>
      expect(BigInt(amountRaw)).toBeGreaterThan(BigInt(added.spent[i]!.amountRaw)),
    );
  });
});
