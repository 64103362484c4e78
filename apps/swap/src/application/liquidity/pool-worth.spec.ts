import { type AppError, parseUsdPrice } from '@agent-wallet/kernel';
import { amountsToAdd, type CpmmPool, liquidityFor, mostWithin } from '@agent-wallet/solana';
import { describe, expect, it } from '@jest/globals';
import { assertWorth } from './pool-worth.js';

/** 100,000 USDC, and as much of BONK at 0.00002 USD. */
const POOL = {
  address: 'pool',
  reserves: [100_000_000_000n, 500_000_000_000_000n],
  lpSupply: 7_071_067_811_865n,
  sides: [{ decimals: 6 }, { decimals: 5 }],
} as unknown as CpmmPool;
const PRICES = [parseUsdPrice('1'), parseUsdPrice('0.00002')] as const;

class TooLittle extends Error {
  constructor(readonly least: readonly [bigint, bigint]) {
    super();
  }
}

/** Judges an addition of so many base units of USDC. */
function add(amount: bigint, { slippageBps = 50, pool = POOL } = {}): void {
  const liquidity = liquidityFor([amount, undefined], pool, slippageBps);
  const [need0, need1] = amountsToAdd(liquidity, pool);
  const maxima = [mostWithin(need0, slippageBps), mostWithin(need1, slippageBps)] as const;
  const tooLittle = (least: readonly [bigint, bigint]) => new TooLittle(least) as unknown as AppError;
  assertWorth(pool, PRICES, { liquidity, maxima, slippageBps, tooLittle });
}

function refusalOf(judge: () => void): unknown {
  try {
    judge();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('an addition of which rounding takes a large part', () => {
  it.each([1, 50, 1_000])('is refused with a least amount that is enough, at a slippage of %i', (slippageBps) => {
    const refused = refusalOf(() => add(3n, { slippageBps }));
    expect(refused).toBeInstanceOf(TooLittle);
    const [least] = (refused as TooLittle).least;
    expect(least).toBeLessThan(1_000n);
    expect(refusalOf(() => add(least, { slippageBps }))).toBeUndefined();
  });

  it('is refused for the pool’s price where a larger one would be, too', () => {
    const pool = { ...POOL, reserves: [80_000_000_000n, 625_000_000_000_000n] } as unknown as CpmmPool;
    for (const amount of [3n, 1_000_000n]) {
      expect(refusalOf(() => add(amount, { pool }))).toMatchObject({ code: 'POOL_PRICE_DEVIATES' });
    }
  });
});
