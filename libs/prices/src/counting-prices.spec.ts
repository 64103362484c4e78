import { parseUsdPrice } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { FakeClock } from './testing/fake-clock.js';
import { countingPrices, type Oracle, type OracleUnavailable } from './counting-prices.js';
import type { ReadingOptions } from './price-source.js';
import type { PriceResult } from './usd-prices.js';

const MINT = 'mint';
const oraclePrice = (usd: string) => ({ price: parseUsdPrice(usd), publishedAtMs: 0, readAtMs: 0 });

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
      return new Map([[MINT, second.startsWith('oracle') ? (second as OracleUnavailable) : oraclePrice(second)]]);
    },
  };
  const fresh = { prices: async () => new Map([[MINT, price]]) };
  const pause = () => Promise.resolve();
  const counting = countingPrices({ fresh, oracle, minLiquidityUsd: 10_000n, clock: new FakeClock(), pause });
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

  it.each([
    ['of a second ago', 5_000, [-Infinity, -1_000], []],
    ['of this moment', 300, [-Infinity, -1_000, 0], [1_000]],
  ])('when the sources agree once a reading %s is read again', async (_, ageMs, expected, pauses) => {
    const clock = new FakeClock();
    const readings: number[] = [];
    const paused: number[] = [];
    const fresh = {
      prices: async (_mints: readonly string[], { readAfterMs = -Infinity }: ReadingOptions = {}) => {
        readings.push(readAfterMs - clock.nowMs());
        const price = parseUsdPrice(clock.nowMs() - ageMs > readAfterMs ? '150' : '125');
        return new Map([[MINT, { price, decimals: 9, liquidityUsd: null, pricedAtMs: 0, readAtMs: 0 }]]);
      },
    };
    const oracle: Oracle = { prices: async () => new Map([[MINT, oraclePrice('125')]]) };
    const pause = async (ms: number) => void paused.push(ms);
    const counting = countingPrices({ fresh, oracle, minLiquidityUsd: 0n, clock, pause });
    expect((await counting.prices([MINT])).get(MINT)).toMatchObject({ price: { digits: 125n } });
    expect([readings, paused]).toEqual([expected, pauses]);
  });

  it('where the oracle does not list the token', async () => {
    expect(await judge({ second: undefined })).toBe('counts');
  });
});
