import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { doneOf, movedSince, poolOf, SOL_USDC, SOL_USDC_LP } from './harness/liquidity.js';
import { usedWhenQuiet } from './harness/spending.js';
import { holdingsOf, MINTS } from './harness/trading.js';

let deployment: Deployment;

beforeAll(async () => {
  deployment = await shareDeployment({ copies: 2 });
}, 120_000);

describe('liquidity', () => {
  it('is added and removed, and the answers are what moved, to the base unit', async () => {
    const agent = await deployment.agent({ SOL: 2, USDC: 100 });
    const before = await holdingsOf(deployment, agent);
    const poolBefore = await poolOf(deployment, SOL_USDC);
    const added = doneOf(await agent.addLiquidity({ pool: SOL_USDC, token: 'USDC', amount: 25 }));
    const [sol, usdc] = added.spent;
    expect([sol!.mint, usdc!.mint, added.lpMint]).toEqual([null, MINTS.USDC, SOL_USDC_LP]);
    expect(await movedSince(deployment, agent, before)).toEqual({
      lamports: -BigInt(sol!.amountRaw) - BigInt(added.rentLamports) - BigInt(added.networkFeeLamports),
      tokens: { [MINTS.USDC]: -BigInt(usdc!.amountRaw), [SOL_USDC_LP]: BigInt(added.liquidityRaw) },
    });
    const pool = await poolOf(deployment, SOL_USDC);
    expect(BigInt(pool.lpSupply) - BigInt(poolBefore.lpSupply)).toBe(BigInt(added.liquidityRaw));

    const between = await holdingsOf(deployment, agent);
    const removed = doneOf(await agent.removeLiquidity({ positionId: added.positionId, percent: 100 }));
    expect(removed).toMatchObject({ remainingRaw: '0', liquidityRaw: added.liquidityRaw });
    expect(await movedSince(deployment, agent, between)).toEqual({
      lamports: BigInt(removed.received[0]!.amountRaw) - BigInt(removed.networkFeeLamports),
      tokens: { [MINTS.USDC]: BigInt(removed.received[1]!.amountRaw), [SOL_USDC_LP]: -BigInt(added.liquidityRaw) },
    });
    expect(await usedWhenQuiet(agent)).toBeGreaterThan(49_000_000n);
  });
});
