import { parseUsdPrice } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
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
  const found = (await countingPrices({ fresh, oracle, minLiquidityUsd: 10_000n }).prices([MINT])).get(MINT)!;
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

  it('where the oracle does not list the token', async () => {
    expect(await judge({ second: undefined })).toBe('counts');
  });
});
