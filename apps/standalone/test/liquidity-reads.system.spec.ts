import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { doneOf, poolOf, SOL_USDC, SOL_USDC_LP } from './harness/liquidity.js';
import { MINTS } from './harness/trading.js';

let deployment: Deployment;

beforeAll(async () => {
  deployment = await shareDeployment({ copies: 2 });
});

describe('pools', () => {
  it('are listed by size and by token, page after page, as they are on chain', async () => {
    const agent = await deployment.agent({});
    const found: string[] = [];
    let cursor = '';
    do {
      const { status, body } = await agent.pools(`?mint=USDC&limit=2&cursor=${cursor}`);
      expect(status).toBe(200);
      found.push(...body.data.pools.map(({ pool }) => pool));
      cursor = body.data.cursor;
    } while (cursor !== '');
    expect(found).toContain(SOL_USDC);
    expect(new Set(found).size).toBe(found.length);
    const onChain = await poolOf(deployment, SOL_USDC);
    const { data } = (await agent.pool(SOL_USDC)).body;
    expect(data).toMatchObject({ feeBps: 25, depositsOpen: true, unsupportedReason: null });
    expect(data.tokens.map(({ reserveRaw }) => reserveRaw)).toEqual(onChain.reserves);
  });

  it('that no account of the program stands for are never shown, for any word of the venue', async () => {
    const agent = await deployment.agent({});
    await deployment.sandbox.arm({ part: 'liquidity', fault: 'fakePool', times: 5 });
    const { pools } = (await agent.pools('?limit=100')).body.data;
    await deployment.sandbox.disarm();
    const real = new Set((await deployment.sandbox.pools()).map(({ pool }) => pool));
    expect(pools.length).toBeGreaterThan(3);
    expect(pools.filter(({ pool }) => !real.has(pool))).toEqual([]);
    expect((await agent.pool(agent.address)).status).toBe(404);
  });

  it('are known without the venue, and listed no more while it is away', async () => {
    const agent = await deployment.agent({});
    await deployment.sandbox.arm({ part: 'liquidity', fault: 'error500', times: 50 });
    expect((await agent.pools()).status).toBe(502);
    expect((await agent.pool(SOL_USDC)).status).toBe(200);
    await deployment.sandbox.disarm();
  });
});

describe('positions', () => {
  it('show what a removal would bring, and a value that a moved pool does not change', async () => {
    const agent = await deployment.agent({ SOL: 2, USDC: 100 });
    expect((await agent.positions()).body.data).toEqual({ positions: [], totalUsdValue: 0, pricedAt: null });
    const { sandbox } = deployment;
    const own = await sandbox
      .createPool({ mintA: 'SOL', mintB: 'USDC', address: 'pda', configIndex: 1 })
      .catch(() => undefined);
    const pool = own?.pool ?? SOL_USDC;
    const added = doneOf(await agent.addLiquidity({ pool, token: 'USDC', amount: 25 }));
    const [position] = (await agent.positions()).body.data.positions;
    expect(position).toMatchObject({ positionId: pool, lpMint: added.lpMint, liquidityRaw: added.liquidityRaw });
    const { body } = await agent.dryRemoveLiquidity({ positionId: pool, percent: 100 });
    expect(position!.amounts.map(({ amountRaw }) => amountRaw)).toEqual(
      body.data.received.map(({ amountRaw }) => amountRaw),
    );
    expect(position!.usdValue).toBeGreaterThan(49);
    const { tokens } = (await agent.balances()).body.data;
    expect(tokens.find(({ mint }) => mint === added.lpMint)).toMatchObject({
      ...{ amountRaw: added.liquidityRaw, liquidity: { venue: 'raydium-cpmm', pool } },
      usdValue: expect.closeTo(position!.usdValue!, 1),
    });
    await sandbox.changePool(pool, { skewPercent: 40 });
    const [moved] = (await agent.positions()).body.data.positions;
    await sandbox.changePool(pool, { skewPercent: 0 });
    expect(moved!.amounts).not.toEqual(position!.amounts);
    expect(Math.abs(moved!.usdValue! - position!.usdValue!)).toBeLessThan(0.01);
  });

  it('of pools that this deployment knows are shown while the venue is away', async () => {
    const agent = await deployment.agent({ SOL: 2, USDC: 100 });
    doneOf(await agent.addLiquidity({ pool: SOL_USDC, token: 'USDC', amount: 5 }));
    await deployment.sandbox.arm({ part: 'liquidity', fault: 'error500', times: 50 });
    const { status, body } = await agent.positions();
    await deployment.sandbox.disarm();
    expect([status, body.data.positions.map(({ lpMint }) => lpMint)]).toEqual([200, [SOL_USDC_LP]]);
  });
});

it('a liquidity token can be neither sent nor traded', async () => {
  const agent = await deployment.agent({ SOL: 2, USDC: 100 });
  const { lpMint } = doneOf(await agent.addLiquidity({ pool: SOL_USDC, token: 'USDC', amount: 5 }));
  const { address } = await deployment.agent({});
  const sent = await agent.transfer({ to: address, mint: lpMint, amount: 0.0001 });
  const traded = await agent.trade({ from: lpMint, to: MINTS.USDC, amount: 0.0001 });
  expect([sent.status, traded.status].every((status) => status >= 400 && status < 500)).toBe(true);
  expect((await agent.positions()).body.data.positions).toHaveLength(1);
});
