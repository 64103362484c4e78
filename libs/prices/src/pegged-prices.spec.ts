import { parseUsdPrice } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { acceptedPrices } from './accepted-prices.js';
import { peggedPrices } from './pegged-prices.js';
import { FakeClock } from './testing/fake-clock.js';
import { MemoryPriceStore } from './testing/memory-price-store.js';
import type { PriceResult } from './usd-prices.js';

const [COIN, OTHER] = ['coin', 'other'];
const clock = new FakeClock();

/** Returns what a limit is measured with, where the market says a price of the coin, or why it has none. */
function open(said: string) {
  const times = { pricedAtMs: clock.nowMs(), readAtMs: clock.nowMs() };
  const answer: PriceResult = /^[a-z]/.test(said)
    ? { unavailable: said as 'unknown' }
    : { price: parseUsdPrice(said), decimals: 6, liquidityUsd: null, ...times };
  const market = { prices: async (mints: readonly string[]) => new Map(mints.map((mint) => [mint, answer])) };
  return peggedPrices({ pegged: new Map([[COIN, 6]]), market, clock });
}

describe('the price of a pegged token', () => {
  it.each(['unknown', 'oracle_missing', 'oracle_stale', 'oracle_uncertain'])(
    'is one dollar where the market says %s',
    async (said) => {
      const nowMs = clock.nowMs();
      const peg = { price: { digits: 1n, scale: 0 }, decimals: 6, liquidityUsd: null };
      const found = await open(said).prices([COIN, OTHER]);
      expect(found.get(COIN)).toEqual({ ...peg, pricedAtMs: nowMs, readAtMs: nowMs });
      expect(found.get(OTHER)).toEqual({ unavailable: said });
    },
  );

  it.each([
    ['0.01', '1'],
    ['0.99999999', '1'],
    ['1', '1'],
    ['1.00000001', '1.00000001'],
    ['1.2', '1.2'],
  ])('where the market says %s values what leaves at %s', async (said, highest) => {
    const store = new MemoryPriceStore(clock);
    const accepted = await acceptedPrices({ counting: open(said), clock, store }).prices([COIN, OTHER]);
    expect(accepted.get(COIN)).toMatchObject({ price: parseUsdPrice(said), highest: parseUsdPrice(highest) });
    expect(accepted.get(OTHER)).toMatchObject({ highest: parseUsdPrice(said) });
  });
});
