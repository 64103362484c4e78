import { describe, expect, it } from '@jest/globals';
import { freshPrices } from './fresh-prices.js';
import type { PriceReading } from './read-prices.js';
import { FakeClock } from './testing/fake-clock.js';

const clock = new FakeClock();
const reading = (blockId: number | null): PriceReading => ({
  price: { digits: 15n, scale: 1 },
  decimals: 6,
  liquidityUsd: 7n,
  blockId,
  readAtMs: clock.nowMs(),
});

/** A block's number is its age. */
const prices = freshPrices({
  clock,
  maxAgeMs: 60_000,
  reader: {
    prices: async (mints) =>
      new Map(
        mints.flatMap((mint) => (mint === 'none' ? [] : [[mint, reading(mint === 'no block' ? null : Number(mint))]])),
      ),
  },
  priceClock: {
    agesMs: async (blockIds) => new Map(blockIds.map((age) => [age, age])),
    saw: () => {},
    nowMs: async () => 0,
  },
});

describe('fresh prices', () => {
  it('are those up to the greatest age', async () => {
    const answers = await prices.prices(['60000', '60001', '0']);
    expect(answers.get('60000')).toEqual({
      price: { digits: 15n, scale: 1 },
      decimals: 6,
      liquidityUsd: 7n,
      pricedAtMs: clock.nowMs() - 60_000,
      readAtMs: clock.nowMs(),
    });
    expect(answers.get('60001')).toEqual({ unavailable: 'stale' });
    expect(answers.get('0')).toMatchObject({ pricedAtMs: clock.nowMs() });
  });

  it('are stale when their age is unknown, and unknown when there are none', async () => {
    expect(await prices.prices(['no block', 'none', 'none'])).toEqual(
      new Map([
        ['no block', { unavailable: 'stale' }],
        ['none', { unavailable: 'unknown' }],
      ]),
    );
  });
});
