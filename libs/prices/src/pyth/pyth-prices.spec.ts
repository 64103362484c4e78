import { NAMED_TOKENS, parseUsdPrice, SOL_DECIMALS, WRAPPED_SOL_MINT } from '@agent-wallet/kernel';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { acceptedPrices } from '../accepted-prices.js';
import { FakeClock } from '../testing/fake-clock.js';
import { MemoryPriceStore } from '../testing/memory-price-store.js';
import { type FeedState, priceAccount } from '../testing/price-account.js';
import { PYTH_PROGRAMS, pythFeeds } from './feeds.js';
import { pythOracle } from './pyth-oracle.js';
import { pythPrices } from './pyth-prices.js';

const FEEDS = new Map(pythFeeds(PYTH_PROGRAMS, 'sandbox').map((feed) => [feed.account, feed]));
const PRICE = 15_000_000_000n;

let clock: FakeClock;
/** State of every feed; undefined for chains without Pyth. */
let state: Partial<FeedState> | undefined;

beforeEach(() => {
  clock = new FakeClock();
  state = { price: PRICE };
});

function open() {
  const account = (address: string) =>
    state && {
      owner: PYTH_PROGRAMS.receiver,
      lamports: 1n,
      executable: false,
      data: priceAccount(FEEDS.get(address)!.id, { publishedAtMs: clock.nowMs(), ...state }),
    };
  const chain = {
    accounts: async (addresses: readonly string[]) => ({ accounts: addresses.map((each) => account(each) ?? null) }),
  };
  const priceClock = { nowMs: async () => clock.nowMs() };
  return pythPrices(
    pythOracle({ chain, priceClock, clock, programs: PYTH_PROGRAMS, network: 'sandbox', maxAgeMs: 180_000 }),
  );
}

const priceOf = async (mint: string) => (await open().prices([mint])).get(mint);

describe('prices of Pyth alone', () => {
  it('have the decimals of the named token, and no liquidity', async () => {
    const nowMs = clock.nowMs();
    const price = { digits: PRICE, scale: 8 };
    const sol = { price, decimals: SOL_DECIMALS, liquidityUsd: null, pricedAtMs: nowMs - 60_000, readAtMs: nowMs };
    state = { price: PRICE, publishedAtMs: nowMs - 60_000 };
    expect(await priceOf(WRAPPED_SOL_MINT)).toEqual(sol);
    const all = await open().prices(NAMED_TOKENS.map(({ mint }) => mint));
    expect([...all]).toEqual(NAMED_TOKENS.map(({ mint, decimals }) => [mint, { ...sol, decimals }]));
  });

  it.each([
    [180, { pricedAtMs: 1_700_000_000_000 - 180_000 }],
    [181, { unavailable: 'oracle_stale' }],
  ])('published %i seconds ago are %j', async (ageSeconds, expected) => {
    state = { publishedAtMs: clock.nowMs() - ageSeconds * 1_000 };
    expect(await priceOf(WRAPPED_SOL_MINT)).toMatchObject(expected);
  });

  it.each([
    [PRICE / 50n, { price: { digits: PRICE } }],
    [PRICE / 50n + 1n, { unavailable: 'oracle_uncertain' }],
  ])('of 150 dollars, give or take %i hundred-millionths, are %j', async (confidence, expected) => {
    state = { price: PRICE, confidence };
    expect(await priceOf(WRAPPED_SOL_MINT)).toMatchObject(expected);
  });

  it('are missing on a chain without Pyth, and unknown for a token without a feed or without an oracle', async () => {
    expect(await priceOf('another mint')).toEqual({ unavailable: 'unknown' });
    state = undefined;
    expect(await priceOf(WRAPPED_SOL_MINT)).toEqual({ unavailable: 'oracle_missing' });
    const none = await pythPrices(undefined).prices([WRAPPED_SOL_MINT]);
    expect([...none]).toEqual([[WRAPPED_SOL_MINT, { unavailable: 'unknown' }]]);
  });

  it('that jump are accepted once the accounts were read again a second later', async () => {
    const store = new MemoryPriceStore(clock, [[WRAPPED_SOL_MINT, parseUsdPrice('100')]]);
    const paused: number[] = [];
    const pause = async (ms: number) => {
      paused.push(ms);
      clock.pass(ms);
    };
    const accepted = await acceptedPrices({ counting: open(), clock, store, pause }).prices([WRAPPED_SOL_MINT]);
    expect(accepted.get(WRAPPED_SOL_MINT)).toMatchObject({ highest: { digits: PRICE, scale: 8 } });
    expect(paused).toEqual([1_000]);
  });
});
