import type { intentV1, policyV1 } from '@agent-wallet/contracts';
import { TOKEN_2022_PROGRAM, WRAPPED_SOL_MINT } from '@agent-wallet/solana';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { USDC } from './policy-peers.js';
import { PolicyUnderTest } from './policy-under-test.js';
import {
  addIntent,
  FOUR_DOLLARS,
  HALF_DOLLAR,
  moveReserves,
  newPool,
  type NewSide,
  SOL_SIDE,
  taking,
  type TestPool,
  USDC_SIDE,
} from './pools.js';
import { authorization, newWallet } from './service.js';

const { address } = newWallet();

let policy: PolicyUnderTest;

beforeAll(async () => {
  policy = await PolicyUnderTest.start();
});
afterAll(() => policy.stop());
beforeEach(() => policy.newAgent());

const authorize = (intent: intentV1.Intent) => policy.swap.authorize(authorization(policy.agentId, intent).request);
const dryRun = (intent: intentV1.Intent) => policy.swap.dryRunAuthorize({ agentId: policy.agentId, intent });
const refusal = (rule: string, data: object = {}) => ({ code: 'POLICY_VIOLATION', data: { rule, ...data } });

/** Fifteen dollars of each side: what the share is worth is for the test to say. */
function thirtyDollars(pool: TestPool, change: Partial<intentV1.LiquidityAdd>): intentV1.Intent {
  const [max0, max1] = pool.sides.map(({ reserve }) => (reserve * 15n) / 100_000n);
  return addIntent(address, pool, { ...taking(max0!, max1!), ...change });
}

describe('the share that an addition brings', () => {
  const THIRTY = 30_000_000n;

  it.each([
    ['half a percent and one', 50, undefined, 29_550_000n, 150],
    ['one percent where nothing is tolerated', 0, undefined, 29_700_000n, 100],
    ['eleven percent where a tenth is tolerated', 1_000, undefined, 26_700_000n, 1_100],
    ['the two percent of the owner', 1_000, 200, 29_400_000n, 200],
    ['no more than the request allows, for an owner that allows more', 50, 4_000, 29_550_000n, 150],
    ['nothing, for an owner that allows none', 50, 0, 30_000_000n, 0],
  ])('may be worth less by %s', async (...row) => {
    const [, slippageBps, ownersBps, least, bps] = row;
    const pool = newPool(policy.world);
    if (ownersBps !== undefined) await policy.setOwned('max_trade_loss_bps', ownersBps);
    const enough = thirtyDollars(pool, { slippageBps, liquidity: least });
    expect(await dryRun(enough)).toMatchObject({
      ...{ allowed: true, valueUsdMicros: THIRTY },
      trade: { inputUsdMicros: THIRTY, leastOutputUsdMicros: least, lossBps: bps, maxLossBps: bps },
    });
    expect(await authorize(enough)).toMatchObject({ reservedUsdMicros: THIRTY });
    await policy.newAgent();
    if (ownersBps !== undefined) await policy.setOwned('max_trade_loss_bps', ownersBps);
    const less = thirtyDollars(pool, { slippageBps, liquidity: least - 1n });
    await expect(authorize(less)).rejects.toMatchObject(
      refusal('trade_unfair', {
        ...{ inputUsdMicros: '30000000', leastOutputUsdMicros: String(least - 1n) },
        ...{ lossPercent: (bps + 1) / 100, maxLossPercent: bps / 100 },
      }),
    );
    expect(await dryRun(less)).toMatchObject({
      ...{ allowed: false, rule: 'trade_unfair', valueUsdMicros: THIRTY },
      trade: { leastOutputUsdMicros: least - 1n, lossBps: bps + 1, maxLossBps: bps },
    });
    expect(await policy.usage()).toEqual({ used: 0n, reserved: 0n });
  });

  it('is refused where a service names a trifle for full maxima', async () => {
    await expect(authorize(thirtyDollars(newPool(policy.world), { liquidity: 1n }))).rejects.toMatchObject(
      refusal('trade_unfair', { leastOutputUsdMicros: '1', lossPercent: 100, maxLossPercent: 1.5 }),
    );
  });

  it('is refused where only one maximum is used up', async () => {
    const pool = newPool(policy.world);
    const [max0] = pool.sides.map(({ reserve }) => (reserve * 15n) / 100_000n);
    // Half the share: as if the other side were worth nothing.
    const one = addIntent(address, pool, { ...taking(max0!, 1n), liquidity: 14_000_000n });
    await expect(authorize(one)).rejects.toMatchObject(refusal('trade_unfair', { inputUsdMicros: '15000001' }));
  });

  it('may be worth more', async () => {
    const gain = thirtyDollars(newPool(policy.world), { liquidity: 60_000_000n });
    expect(await dryRun(gain)).toMatchObject({ allowed: true, trade: { lossBps: -10_000 } });
    expect(await authorize(gain)).toMatchObject({ reservedUsdMicros: THIRTY });
  });

  it.each<[string, Pick<NewSide, 'tokenProgram'>]>([
    ['of the classic program', {}],
    ['of Token-2022', { tokenProgram: TOKEN_2022_PROGRAM }],
  ])('includes no fees of the protocol, the fund and the creator: %s', async (_, program) => {
    const fees = [7_000_000_000_000n, 11_000_000_000_000n, 13_000_000_000_000n] as const;
    const pool = newPool(policy.world, [
      { ...FOUR_DOLLARS, ...program, fees },
      { ...HALF_DOLLAR, ...program, fees: [17_000_000_000n, 19_000_000_000n, 23_000_000_000n] },
    ]);
    expect(await dryRun(thirtyDollars(pool, { liquidity: 29_550_000n }))).toMatchObject({
      ...{ allowed: true, trade: { leastOutputUsdMicros: 29_550_000n } },
    });
    await expect(authorize(thirtyDollars(pool, { liquidity: 29_549_999n }))).rejects.toMatchObject(
      refusal('trade_unfair', { leastOutputUsdMicros: '29549999' }),
    );
  });

  it('is of the pool’s own supply', async () => {
    const pool = newPool(policy.world, undefined, { lpSupply: 400_000_000_000n });
    expect(await dryRun(thirtyDollars(pool, { liquidity: 30_000_000n }))).toMatchObject({
      ...{ allowed: false, rule: 'trade_unfair', trade: { leastOutputUsdMicros: 15_000_000n, lossBps: 5_000 } },
    });
  });
});

describe('a pool that an accomplice has moved', () => {
  /** Moves the price of a pool at a constant product: more of the first token, less of the second. */
  const skewed = (pool: TestPool, [up, down]: readonly [bigint, bigint]) =>
    moveReserves(policy.world, pool, (reserve, side) => (side === 0 ? (reserve * up) / down : (reserve * down) / up));

  // The first token's reserve by the factor f, the price by f²: the honest quote takes (f + 1/f) / 2 of the fair value, and half a percent.
  it.each<[string, [bigint, bigint], boolean, number]>([
    ['2 %', [101n, 100n], true, 51],
    ['10 %', [21n, 20n], true, 62],
    ['31 %', [8n, 7n], true, 138],
    ['44 %', [6n, 5n], false, 213],
    ['2.25 times', [3n, 2n], false, 816],
    ['4 times', [2n, 1n], false, 2_040],
    ['a quarter', [1n, 2n], false, 2_040],
    ['10,000 times', [100n, 1n], false, 9_802],
  ])('by %s is judged by its fair value', async (_, factor, passes, lossBps) => {
    const pool = skewed(newPool(policy.world), factor);
    // What a service would honestly quote for so much of the pool.
    const add = addIntent(address, pool, { liquidity: 1_000_000n });
    expect(await dryRun(add)).toMatchObject({ allowed: passes, trade: { lossBps, maxLossBps: 150 } });
    if (passes) await authorize(add);
    else await expect(authorize(add)).rejects.toMatchObject(refusal('trade_unfair', { lossPercent: lossBps / 100 }));
  });

  it('hides nothing behind the sum of its reserves', async () => {
    const pool = skewed(newPool(policy.world), [2n, 1n]);
    // At the pool's own price, or by the sum of the reserves, these twelve and a half dollars buy a fair share.
    const add = addIntent(address, pool, { liquidity: 10_000_000n });
    await expect(authorize(add)).rejects.toMatchObject(
      refusal('trade_unfair', {
        ...{ inputUsdMicros: '12562500', leastOutputUsdMicros: '10000000' },
        ...{ lossPercent: 20.4, maxLossPercent: 1.5 },
      }),
    );
    const seen = await dryRun(add);
    expect(seen).toMatchObject({
      ...{ allowed: false, rule: 'trade_unfair', valueUsdMicros: 12_562_500n },
      trade: { inputUsdMicros: 12_562_500n, leastOutputUsdMicros: 10_000_000n, lossBps: 2_040, maxLossBps: 150 },
    });
  });

  it('between the quote and the permit is refused, and permitted when it is back', async () => {
    const pool = newPool(policy.world);
    // Quoted before; by now the same liquidity brings as much by fair value, so that the maxima alone stand in its way.
    const add = addIntent(address, pool);
    skewed(pool, [2n, 1n]);
    expect(await dryRun(add)).toMatchObject({ allowed: true, trade: { lossBps: 50 } });
    // Drained instead: the product falls.
    moveReserves(policy.world, pool, (reserve) => (reserve * 9n) / 10n);
    expect(await dryRun(add)).toMatchObject({ allowed: false, rule: 'trade_unfair', trade: { lossBps: 1_045 } });
    moveReserves(policy.world, pool, (reserve) => reserve);
    expect(await authorize(add)).toMatchObject({ reservedUsdMicros: 20_100_000n });
  });

  it('after the permit does not take the permit back', async () => {
    const pool = newPool(policy.world);
    const { request } = authorization(policy.agentId, addIntent(address, pool));
    await policy.swap.authorize(request);
    moveReserves(policy.world, pool, (reserve) => reserve / 2n);
    expect(await policy.swap.authorize(request)).toMatchObject({ reservedUsdMicros: 20_100_000n });
    expect(await policy.usage()).toEqual({ used: 0n, reserved: 20_100_000n });
  });
});

describe('the list of tokens', () => {
  const list = (...entries: string[]) => policy.change({ allowedTokens: { list: { entries } } });

  it('must name both tokens of a pool', async () => {
    const pool = newPool(policy.world);
    const [mint0, mint1] = pool.sides.map(({ mint }) => mint) as [string, string];
    for (const entries of [[], [mint0], [mint1], [newWallet().address, pool.pool, pool.lpMint]]) {
      await list(...entries);
      await expect(authorize(addIntent(address, pool))).rejects.toMatchObject(refusal('token_not_allowed'));
      expect(await dryRun(addIntent(address, pool))).toMatchObject({ allowed: false, rule: 'token_not_allowed' });
    }
    await list(mint0, newWallet().address, mint1);
    expect(await authorize(addIntent(address, pool))).toMatchObject({ reservedUsdMicros: 20_100_000n });
  });

  it('names SOL by its wrapped mint', async () => {
    const pool = newPool(policy.world, [SOL_SIDE, USDC_SIDE]);
    await list(USDC);
    expect(await dryRun(addIntent(address, pool))).toMatchObject({ rule: 'token_not_allowed' });
    await list(USDC, WRAPPED_SOL_MINT);
    expect(await dryRun(addIntent(address, pool))).toMatchObject({ allowed: true });
  });
});

describe('a claimed agent with a recipient rule', () => {
  const DENY = 3 satisfies policyV1.NewRecipients;
  const mints = (pool: TestPool) => pool.sides.map(({ mint }) => mint);

  /** An addition to a pool of these tokens, of which so many without a name are verified. */
  const addWith = (verified: number, sides: readonly [NewSide, NewSide]) => {
    const pool = newPool(policy.world, sides);
    const unnamed = mints(pool).filter((mint) => mint !== WRAPPED_SOL_MINT);
    unnamed.slice(0, verified).forEach((mint) => policy.world.verified.add(mint));
    return addIntent(address, pool);
  };

  it('adds to pools of named and verified tokens only', async () => {
    await policy.change({ allowedRecipients: { entries: [address] } });
    await policy.setOwned('claimed_at', new Date());
    const [SOL_AND, TWO] = [[SOL_SIDE, HALF_DOLLAR] as const, [FOUR_DOLLARS, HALF_DOLLAR] as const];
    for (const refused of [addWith(0, SOL_AND), addWith(0, TWO), addWith(1, TWO)]) {
      await expect(authorize(refused)).rejects.toMatchObject(refusal('token_not_allowed'));
      expect(await dryRun(refused)).toMatchObject({ allowed: false, rule: 'token_not_allowed' });
    }
    for (const allowed of [addWith(1, SOL_AND), addWith(2, TWO), addWith(0, [SOL_SIDE, USDC_SIDE])]) {
      expect(await dryRun(allowed)).toMatchObject({ allowed: true });
    }
  });

  it('is one that denies new recipients, too', async () => {
    await policy.change({ newRecipients: DENY });
    await policy.setOwned('claimed_at', new Date());
    const refused = addWith(0, [SOL_SIDE, HALF_DOLLAR]);
    await expect(authorize(refused)).rejects.toMatchObject(refusal('token_not_allowed'));
  });

  it('adds to a pool of tokens that an owner has listed, verified or not', async () => {
    const pool = newPool(policy.world);
    await policy.change({
      allowedRecipients: { entries: [address] },
      allowedTokens: { list: { entries: mints(pool) } },
    });
    await policy.setOwned('claimed_at', new Date());
    await policy.setOwned('owner_listed_tokens', mints(pool));
    expect(await dryRun(addIntent(address, pool))).toMatchObject({ allowed: true });
  });

  it('alone is asked about: every other agent adds as it likes, and uses up no calls', async () => {
    policy.world.calls.length = 0;
    expect(await dryRun(addIntent(address, newPool(policy.world)))).toMatchObject({ allowed: true });
    await policy.change({ allowedRecipients: { entries: [address] } });
    expect(await dryRun(addIntent(address, newPool(policy.world)))).toMatchObject({ allowed: true });
    expect(policy.world.calls.filter((call) => call.startsWith('tokens'))).toEqual([]);
  });
});
