import { parseUsdPrice } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { FakeClock } from './testing/fake-clock.js';
import { countingPrices, type Oracle, type OracleUnavailable } from './counting-prices.js';
import type { PriceResult } from './usd-prices.js';

const MINT = 'mint';

interface Said {
  readonly usd?: string;
  readonly liquidityUsd?: bigint | null;
  /** Of the oracle; undefined: it does not list the mint. */
  readonly second?: string | undefined;
}

/** Returns `counts`, or why the aggregator's price does not. */
async function judge({ usd = '100', liquidityUsd = 10_000n, second }: Said): Promise<string> {
  const price: PriceResult = { price: parseUsdPrice(usd), decimals: 6, liquidityUsd, pricedAtMs: 0, readAtMs: 0 };
  const oracle: Oracle = {
    prices: async () => {
      if (second === undefined) return new Map();
      return new Map([
        [MINT, second.startsWith('oracle') ? (second as OracleUnavailable) : { price: parseUsdPrice(second) }],
      ]);
    },
  };
  const fresh = { prices: async () => new Map([[MINT, price]]) };
  const counting = countingPrices({ fresh, oracle, minLiquidityUsd: 10_000n, clock: new FakeClock() });
  const found = (await counting.prices([MINT])).get(MINT)!;
  return 'unavailable' in found ? found.unavailable : 'counts';
}

describe('a price counts', () => {
  it.each([
    [10_000n, 'counts'],
    [9_999n, 'illiquid'],
    [0n, 'illiquid'],
    [null, 'illiquid'],
  ])('with $%s behind it: %s', async (liquidityUsd, expected) => {
    expect(await judge({ liquidityUsd })).toBe(expected);
  });

  it.each([
    ['105', '100', 'counts'],
    ['105.0001', '100', 'oracle_disagrees'],
    ['95', '100', 'counts'],
    ['94.9999', '100', 'oracle_disagrees'],
    ['0.1', '100', 'oracle_disagrees'],
  ])('of %s where the oracle says %s: %s', async (usd, second, expected) => {
    expect(await judge({ usd, second })).toBe(expected);
  });

  it.each(['oracle_missing', 'oracle_stale', 'oracle_uncertain'])('not while the oracle says %s', async (second) => {
    expect(await judge({ second })).toBe(second);
  });

  it('when the sources agree in a second reading: one of them was from before a move', async () => {
    const clock = new FakeClock();
    const readings: (number | undefined)[] = [];
    const fresh = {
      prices: async (_: readonly string[], { readAfterMs }: { readAfterMs?: number } = {}) => {
        readings.push(readAfterMs);
        const price = parseUsdPrice(readAfterMs === undefined ? '150' : '125');
        return new Map([[MINT, { price, decimals: 9, liquidityUsd: null, pricedAtMs: 0, readAtMs: 0 }]]);
      },
    };
    const oracle: Oracle = { prices: async () => new Map([[MINT, { price: parseUsdPrice('125') }]]) };
    const counting = countingPrices({ fresh, oracle, minLiquidityUsd: 0n, clock });
    expect((await counting.prices([MINT])).get(MINT)).toMatchObject({ price: { digits: 125n } });
    expect(readings).toEqual([undefined, clock.nowMs() - 1_000]);
  });

  it('where the oracle does not list the token', async () => {
    expect(await judge({ second: undefined })).toBe('counts');
  });
});
