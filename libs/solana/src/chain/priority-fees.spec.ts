import { describe, expect, it } from '@jest/globals';
import { TestScheduler } from '@agent-wallet/testing';
import { openPriorityFees } from './priority-fees.js';

const ACCOUNTS = ['recipient'];

/** A market of which a test sets the prices, and how often it was asked. */
function openMarket(maxLamports = 50_000n) {
  const market = { nowMs: 0, asked: [] as string[], prices: [] as bigint[], isAway: false };
  const chain = {
    recentPriorityPrices: async (accounts: readonly string[]) => {
      market.asked.push(accounts.join());
      if (market.isAway) throw new Error('away');
      return market.prices;
    },
  };
  const fees = openPriorityFees({ chain, clock: { nowMs: () => market.nowMs }, maxLamports });
  const lamportsFor = (units: number, accounts = ACCOUNTS) => fees.lamportsFor({ accounts, units });
  return { market, lamportsFor, noteExpiry: () => fees.noteExpiry() };
}

describe('priority fees', () => {
  it('are nothing in a quiet market, and where no slot is known', async () => {
    const { market, lamportsFor } = openMarket();
    expect(await lamportsFor(1_000_000)).toBe(0n);
    market.nowMs = 10_000;
    market.prices = Array.from({ length: 150 }, () => 0n);
    expect(await lamportsFor(1_000_000)).toBe(0n);
  });

  it('pay what nine of ten recent slots took, for all units, rounded up', async () => {
    const { market, lamportsFor } = openMarket();
    market.prices = [100n, 900n, 200n, 800n, 300n, 700n, 400n, 600n, 500n, 99_999n];
    expect(await lamportsFor(1_000_000)).toBe(900n);
    expect(await lamportsFor(1_001)).toBe(1n);
    expect(await lamportsFor(65_535)).toBe(59n);
  });

  it.each([
    [50_000n, 50_000n],
    [50_001n, 50_000n],
    [2n ** 63n, 50_000n],
  ])('are at most the bound: at a price of %s %s lamports', async (price, lamports) => {
    const { market, lamportsFor } = openMarket();
    market.prices = [price];
    expect(await lamportsFor(1_000_000)).toBe(lamports);
  });

  it('are doubled for two minutes after an expiry, within the bound', async () => {
    const { market, lamportsFor, noteExpiry } = openMarket();
    market.prices = [20_000n];
    expect(await lamportsFor(1_000_000)).toBe(20_000n);
    noteExpiry();
    expect(await lamportsFor(1_000_000)).toBe(40_000n);
    expect(await lamportsFor(2_000_000)).toBe(50_000n);
    market.nowMs = 120_000;
    expect(await lamportsFor(1_000_000)).toBe(40_000n);
    market.nowMs = 120_001;
    expect(await lamportsFor(1_000_000)).toBe(20_000n);
  });

  it('are something after an expiry in a market that looks quiet, and nothing with a bound of 0', async () => {
    const { lamportsFor, noteExpiry } = openMarket();
    noteExpiry();
    expect(await lamportsFor(50_000)).toBe(1_000n);
    const off = openMarket(0n);
    off.noteExpiry();
    expect(await off.lamportsFor(50_000)).toBe(0n);
  });

  it('are nothing, and ask no node, with a bound of 0', async () => {
    const { market, lamportsFor } = openMarket(0n);
    market.prices = [1_000n];
    expect(await lamportsFor(1_000_000)).toBe(0n);
    expect(market.asked).toEqual([]);
  });

  it('ask for each set of accounts once in two seconds', async () => {
    const { market, lamportsFor } = openMarket();
    await Promise.all([lamportsFor(1), lamportsFor(1), lamportsFor(1, ['other'])]);
    market.nowMs = 2_000;
    await lamportsFor(1);
    market.nowMs = 2_001;
    await lamportsFor(1);
    expect(market.asked).toEqual(['recipient', 'other', 'recipient']);
  });

  it('stay at the last price while the node does not answer', async () => {
    const { market, lamportsFor } = openMarket();
    market.prices = [500n];
    expect(await lamportsFor(1_000_000)).toBe(500n);
    [market.nowMs, market.isAway] = [10_000, true];
    expect(await lamportsFor(1_000_000)).toBe(500n);
    expect(await lamportsFor(1_000_000, ['other'])).toBe(500n);
  });

  it('use the last price after a second without an answer, and the late one from then on', async () => {
    const scheduler = new TestScheduler();
    let answer: (prices: readonly bigint[]) => void = () => undefined;
    const chain = { recentPriorityPrices: () => new Promise<readonly bigint[]>((resolve) => (answer = resolve)) };
    const clock = { nowMs: () => scheduler.nowMs() };
    const fees = openPriorityFees({ chain, clock, maxLamports: 50_000n, scheduler });
    const message = { accounts: ACCOUNTS, units: 1_000_000 };
    const first = fees.lamportsFor(message);
    await scheduler.advance(1_000);
    expect(await first).toBe(0n);
    answer([700n]);
    await scheduler.advance(2_001);
    const second = fees.lamportsFor(message);
    await scheduler.advance(1_000);
    expect(await second).toBe(700n);
  });
});
