import { parseUsdPrice } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CPMM_AUTHORITY, cpmmAddresses } from './cpmm-addresses.js';
import { amountsToAdd, amountsToRemove, type CpmmState, leastWithin, liquidityFor, mostWithin } from './cpmm-maths.js';
import { fairValue } from './fair-value.js';

const SOL = 'So11111111111111111111111111111111111111112';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

describe('the addresses of a pool', () => {
  it('are those of the pool of SOL and USDC on mainnet', () => {
    expect(CPMM_AUTHORITY).toBe('GpMZbSM2GgvTKHJirzeGfMFoaZ8UR2X7F4v8vHTvxFbL');
    expect(cpmmAddresses({ config: 'D4FPEruKEHrG5TenZ2mpDGEfu1iUvTiqBxvpU8HLBvC2', mints: [SOL, USDC] })).toEqual({
      pool: '7JuwJuNU88gurFnyWeiyGKbFmExMWcmRZntn9imEzdny',
      vaults: ['7VLUXrnSSDo9BfCa4NWaQs68g7ddDY1sdXBKW6Xswj9Y', '3rzbbW5Q8MA7sCaowf28hNgACNPecdS2zceWy7Ptzua9'],
      lpMint: 'Ff68JGeEiUEF859B2xEaPX82vuFeuwxqoxGNHTZPAuKR',
    });
  });
});

describe('the amounts of a share', () => {
  const state: CpmmState = { reserves: [1_000n, 7n], lpSupply: 100n };

  it.each<[bigint, [bigint, bigint]]>([
    [100n, [1_000n, 7n]],
    [1n, [10n, 0n]],
    [15n, [150n, 2n]],
    [14n, [140n, 0n]],
  ])('%i added takes %p: rounded up, unless it rounds down to nothing', (liquidity, amounts) => {
    expect(amountsToAdd(liquidity, state)).toEqual(amounts);
  });

  it.each<[bigint, [bigint, bigint]]>([
    [15n, [150n, 1n]],
    [14n, [140n, 0n]],
  ])('%i removed pays %p: rounded down', (liquidity, amounts) => {
    expect(amountsToRemove(liquidity, state)).toEqual(amounts);
  });

  it('allows the tolerance and not a unit more, rounded in favour of the request', () => {
    expect([mostWithin(10_001n, 50), mostWithin(10_000n, 50), mostWithin(1n, 0)]).toEqual([10_052n, 10_050n, 1n]);
    expect([leastWithin(10_001n, 50), leastWithin(10_000n, 50), leastWithin(1n, 1_000)]).toEqual([9_950n, 9_950n, 1n]);
  });

  it('never takes more than the maxima for the liquidity that they allow', () => {
    const amount = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n });
    fc.assert(
      fc.property(amount, amount, amount, amount, fc.option(amount), fc.nat({ max: 1_000 }), (...drawn) => {
        const [reserve0, reserve1, lpSupply, max0, max1, slippageBps] = drawn;
        const pool: CpmmState = { reserves: [reserve0, reserve1], lpSupply };
        const liquidity = liquidityFor([max0, max1 ?? undefined], pool, slippageBps);
        const [need0, need1] = amountsToAdd(liquidity, pool);
        expect(need0).toBeLessThanOrEqual(max0);
        if (max1 !== null) expect(need1).toBeLessThanOrEqual(max1);
      }),
    );
  });
});

describe('the fair value of a share', () => {
  const side = (mint: string, decimals: number) =>
    ({ mint, decimals, tokenProgram: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }) as const;
  const sides = [side(SOL, 9), side(USDC, 6)] as const;
  const prices = [parseUsdPrice('140'), parseUsdPrice('1')] as const;
  /** 1,000 SOL and 140,000 USDC: the pool stands at the prices. */
  const pool = { sides, reserves: [1_000_000_000_000n, 140_000_000_000n] as const, lpSupply: 1_000_000n };

  it('is the share of both reserves where the pool stands at the prices', () => {
    expect(fairValue(1_000_000n, pool, prices)).toBe(280_000_000_000n);
    expect(fairValue(1n, pool, prices)).toBe(280_000n);
  });

  it('is not moved by a swap that moves the pool, where the sum of the reserves would be', () => {
    const moved = { ...pool, reserves: [4_000_000_000_000n, 35_000_000_000n] as const };
    expect(fairValue(1_000_000n, moved, prices)).toBe(280_000_000_000n);
  });

  it('is rounded down, never up, for odd numbers', () => {
    const odd = { ...pool, reserves: [3n, 7n] as const, lpSupply: 9n };
    // 2·√(3·7·140·10⁻⁹·10⁻⁶)·10⁶ = 3.42…; a ninth of it is less than one.
    expect(fairValue(9n, odd, prices)).toBe(3n);
    expect(fairValue(1n, odd, prices)).toBe(0n);
  });
});
