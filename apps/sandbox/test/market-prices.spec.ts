import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Keypair } from '@solana/web3.js';
import { key } from '../src/encoding/keys.js';
import { MarketWorld, mintOf } from './market-world.js';
import { temporaryDir } from './world.js';

const [SOL, USDC, JUP, BONK] = ['SOL', 'USDC', 'JUP', 'BONK'].map(mintOf) as [string, string, string, string];

describe("the pools follow the board's prices", () => {
  let data: ReturnType<typeof temporaryDir>;
  let world: MarketWorld;
  let alice: Keypair;

  beforeEach(async () => {
    data = temporaryDir();
    world = new MarketWorld(data.dir);
    alice = Keypair.generate();
    for (const symbol of ['SOL', 'USDC']) await world.fund(alice.publicKey, symbol, 10n ** 14n);
  });

  afterEach(async () => {
    await world.close();
    data.remove();
  });

  /** What one whole unit of an input brings. */
  const price = (from: string, to: string, amount = 1_000_000n): bigint =>
    world.market.quote(from, to, amount)!.outAmount;

  function trade(from: string, to: string, amount: bigint): void {
    const route = world.market.quote(from, to, amount)!;
    expect(world.run(world.wholeSwap(alice.publicKey, route), [alice], route.lookupTables).error).toBeNull();
  }

  it('a set price moves them at once, near and far', () => {
    for (const [from, to] of [
      [JUP, USDC],
      [JUP, SOL],
      [JUP, BONK],
    ] as const) {
      world.setPrice('JUP', '0.5');
      const before = price(from, to);
      world.setPrice('JUP', '1');
      const after = price(from, to);
      expect(Number(after) / Number(before)).toBeCloseTo(2, 4);
      expect(after).toBeLessThanOrEqual(world.market.fairOutput(from, to, 1_000_000n)!);
    }
  });

  it("while they stand still, a trade's effect stays until a price is set", () => {
    const untouched = price(USDC, SOL);
    trade(USDC, SOL, 50_000_000_000n);
    const moved = price(USDC, SOL);
    expect(Number(moved) / Number(untouched)).toBeLessThan(0.99);
    world.chain.advanceClock(60_000);
    expect(price(USDC, SOL)).toBe(moved);
    world.setPrice('JUP', '0.7');
    expect(price(USDC, SOL)).toBe(moved);
    world.market.follow(USDC, SOL);
    const again = price(USDC, SOL);
    expect(Number(again) / Number(untouched)).toBeCloseTo(1, 6);
  });

  it('setting the same price again takes a trade’s effect away', () => {
    world.setPrice('SOL', '150');
    world.setPrice('USDC', '1');
    const untouched = price(USDC, SOL);
    trade(USDC, SOL, 50_000_000_000n);
    world.setPrice('SOL', '150');
    expect(price(USDC, SOL)).toBe(untouched);
  });

  it('walking prices take them along', () => {
    trade(USDC, SOL, 50_000_000_000n);
    world.prices.freeze(false);
    const seen = new Set<bigint>();
    for (let i = 0; i < 5; i++) {
      world.chain.advanceClock(30_000);
      const [got, fair] = [price(USDC, SOL), world.market.fairOutput(USDC, SOL, 1_000_000n)!];
      expect(Number(got) / Number(fair)).toBeCloseTo(0.9996, 4);
      seen.add(got);
    }
    expect(seen.size).toBeGreaterThan(2);
  });

  it('a removed or an odd price leaves them where they were', () => {
    const before = price(JUP, USDC);
    world.prices.change(key(JUP), { kind: 'remove' });
    expect(price(JUP, USDC)).toBe(before);
    world.setPrice('JUP', '"much"');
    expect(price(JUP, USDC)).toBe(before);
    world.setPrice('JUP', '0');
    expect(price(JUP, USDC)).toBe(before);
    expect(world.market.fairOutput(JUP, USDC, 1n)).toBeUndefined();
  });

  it('an earlier trade makes them pay less, until they follow again', () => {
    for (const [from, to] of [
      [USDC, SOL],
      [JUP, BONK],
    ] as const) {
      const before = price(from, to);
      world.market.moveAgainst(from, to, 300);
      expect(Number(price(from, to)) / Number(before)).toBeCloseTo(0.97, 4);
      world.market.follow(from, to);
      expect(price(from, to)).toBe(before);
    }
  });

  it('prices of any size have pools', async () => {
    for (const [symbol, decimals, usd] of [
      ['DUST', 9, '0.000000000001'],
      ['WHOLE', 0, '3'],
      ['GOLD', 2, '90000'],
      ['LONG', 18, '1'],
    ] as const) {
      const mint = await world.makeToken({ symbol, decimals }, usd);
      const route = world.market.quote(USDC, mint, 1_000_000_000n)!;
      expect(route.outAmount).toBeGreaterThan(0n);
    }
  });

  it('after kill -9 they are what they were, traded, moved or made', async () => {
    const mint = await world.makeToken({ symbol: 'KEPT' }, '2');
    trade(USDC, SOL, 50_000_000_000n);
    trade(USDC, mint, 1_000_000n);
    world.setPrice('JUP', '0.25');
    const ask = (): unknown[] =>
      [
        [USDC, SOL],
        [JUP, USDC],
        [mint, JUP],
      ].map(([from, to]) => world.market.quote(from!, to!, 1_000_000n)!.legs);
    const before = ask();
    // Nothing is closed: all that a killed process has shown is in its journal.
    const killed = world;
    world = new MarketWorld(data.dir);
    expect(ask()).toEqual(before);
    trade(USDC, mint, 1_000_000n);
    await killed.close();
  });
});
