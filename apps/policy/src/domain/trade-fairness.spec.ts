import { parseUsdPrice } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { tradeFairness } from './trade-fairness.js';

const NONE = { maxPriceImpactBps: undefined, slippageBps: 50, takesUnpriced: false };
const usdc = (amount: bigint) => ({ amount, decimals: 6, price: parseUsdPrice('1') });
const sol = (amount: bigint, usd = '150') => ({ amount, decimals: 9, price: parseUsdPrice(usd) });

describe('the loss of a trade', () => {
  it.each([
    // 150 USDC for a SOL of $150: nothing.
    [150_000_000n, 1_000_000_000n, 0],
    [150_000_000n, 900_000_000n, 1_000],
    // Any fraction of a basis point counts.
    [150_000_000n, 899_999_999n, 1_001],
    [150_000_000n, 999_999_999n, 1],
    [150_000_000n, 1n, 10_000],
    [150_000_000n, 1_100_000_000n, -1_000],
    // Of dust, too: a micro-dollar for a part of one.
    [1n, 6n, 1_000],
    [1n, 1n, 8_500],
  ])('of %i base units of USDC for %i lamports is %i bps', (given, brought, lossBps) => {
    expect(tradeFairness(usdc(given), sol(brought), NONE).lossBps).toBe(lossBps);
  });

  it('is exact at any size and price', () => {
    const most = 2n ** 64n - 1n;
    expect(tradeFairness(sol(most, '1000000000000'), sol(most, '0.000000000000000001'), NONE).lossBps).toBe(10_000);
    expect(tradeFairness(sol(1n, '0.000000000000000001'), sol(most, '1000000000000'), NONE).lossBps).toBe(-1_000_000);
  });

  it('is unknown without a price of the output, and none where the input has none', () => {
    expect(tradeFairness(usdc(1n), { ...sol(1n), price: undefined }, NONE).lossBps).toBeUndefined();
    expect(tradeFairness({ ...usdc(1n), price: undefined }, sol(1n), NONE).lossBps).toBe(0);
  });
});

describe('the values of a trade', () => {
  it('are rounded up for what leaves, and down for what comes', () => {
    const { inputUsdMicros, leastOutputUsdMicros } = tradeFairness(sol(1n), sol(9_999n), NONE);
    expect([inputUsdMicros, leastOutputUsdMicros]).toEqual([1n, 1_499n]);
  });
});

describe('the tolerated loss', () => {
  it('is ten percent with the slippage, or the price impact that the request names and the slippage', () => {
    const maxOf = (maxPriceImpactBps: number | undefined) =>
      tradeFairness(usdc(1n), sol(1n), { ...NONE, maxPriceImpactBps }).maxLossBps;
    expect([undefined, 100, 5_000].map(maxOf)).toEqual([1_000, 150, 5_050]);
  });
});
