import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { exactly, movementInDryRun, movementOf, withoutLimits } from './harness/liquidity.js';
import { usedWhenQuiet } from './harness/spending.js';
import { SafeTokens, type TokenOrder } from './harness/tokens.js';
import { holdingsOf } from './harness/trading.js';

// Pools of tokens of both token programs, with unlike decimals. Pools and tokens of its own: other files must not see them.

let deployment: Deployment;
let tokens: SafeTokens;

beforeAll(async () => {
  deployment = await shareDeployment({ leavesMarkets: true });
  tokens = await SafeTokens.open(deployment);
});

afterAll(async () => {
  tokens?.close();
});

const PAIRS: ReadonlyArray<readonly [TokenOrder, TokenOrder]> = [
  [
    { symbol: 'NINE', decimals: 9, program: 'token', usd: '2.5' },
    { symbol: 'SIX', decimals: 6, program: 'token', usd: '0.04' },
  ],
  [
    { symbol: 'SIXNEW', decimals: 6, program: 'token-2022', usd: '1' },
    { symbol: 'WHOLE', decimals: 0, program: 'token', usd: '0.0125' },
  ],
  [
    { symbol: 'FIVENEW', decimals: 5, program: 'token-2022', usd: '0.3' },
    { symbol: 'NINENEW', decimals: 9, program: 'token-2022', usd: '40' },
  ],
];

describe.each(PAIRS)('liquidity of %j and %j', (one, other) => {
  let mints: readonly [string, string];
  beforeAll(async () => {
    mints = [await tokens.make(one), await tokens.make(other)];
  });

  it.each([0, 1])('is added by either token, and removed, in fee tier %i', async (configIndex) => {
    const pool = (
      await deployment.sandbox.createPool({ mintA: mints[0], mintB: mints[1], configIndex, depthUsd: '200000' })
    ).pool;
    const worth = (usd: number, token: TokenOrder) => Math.ceil(usd / Number(token.usd));
    const funds = { SOL: 1, [mints[0]]: worth(400, one), [mints[1]]: worth(400, other) };
    const [agent, bystander] = [await withoutLimits(await deployment.agent(funds)), await deployment.agent(funds)];
    const theirs = await holdingsOf(deployment, bystander);
    const at = { deployment, agent, pool };
    const byOne = { pool, token: mints[0], amount: worth(100, one), slippageBps: 30 };
    const dry = (await agent.dryAddLiquidity(byOne)).body.data;
    const first = await exactly(at, () => agent.addLiquidity(byOne));
    expect(movementInDryRun(dry)).toEqual(movementOf(first));
    const byOther = { pool, token: mints[1], amount: worth(100, other), maxOtherAmount: worth(60, one) };
    const second = await exactly(at, () => agent.addLiquidity(byOther));
    const used = await usedWhenQuiet(agent);
    expect(used).toBeGreaterThan(310_000_000n);
    expect(used).toBeLessThan(325_000_000n);
    const third = await exactly(at, () => agent.removeLiquidity({ positionId: pool, percent: 37.5 }));
    const all = BigInt(first.liquidityRaw) + BigInt(second.liquidityRaw);
    expect(BigInt(third.liquidityRaw)).toBe((all * 375n) / 1_000n);
    const last = await exactly(at, () => agent.removeLiquidity({ positionId: pool, percent: 100, slippageBps: 1 }));
    expect(last.remainingRaw).toBe('0');
    expect(await holdingsOf(deployment, bystander)).toEqual(theirs);
  });
});
