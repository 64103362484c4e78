import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Keypair } from '@solana/web3.js';
import { MAINNET_TOKENS } from '../src/tokens/mainnet.js';
import { MarketWorld, mintOf } from './market-world.js';
import { temporaryDir } from './world.js';

const SYMBOLS = MAINNET_TOKENS.map(({ symbol }) => symbol);
const [SOL, USDC, JUP, BONK] = ['SOL', 'USDC', 'JUP', 'BONK'].map(mintOf) as [string, string, string, string];
const MOST_BYTES = 1_232;

describe('the market on the chain', () => {
  const data = temporaryDir();
  let world: MarketWorld;
  let alice: Keypair;

  beforeAll(() => {
    world = new MarketWorld(data.dir);
  });

  afterAll(async () => {
    await world.close();
    data.remove();
  });

  async function rich(...symbols: string[]): Promise<Keypair> {
    const wallet = Keypair.generate();
    for (const symbol of ['SOL', ...symbols]) await world.fund(wallet.publicKey, symbol, 1_000_000_000_000_000n);
    return wallet;
  }

  /** About ten dollars of a token. */
  function smallAmount(symbol: string): bigint {
    return world.market.fairOutput(USDC, mintOf(symbol), 10_000_000n)!;
  }

  describe('every token for every other', () => {
    beforeAll(async () => {
      alice = await rich(...SYMBOLS.filter((symbol) => symbol !== 'SOL'));
    });

    it.each(SYMBOLS.flatMap((from) => SYMBOLS.filter((to) => to !== from).map((to) => [from, to] as const)))(
      '%s for %s pays what was quoted, to the unit, and leaves nothing wrapped',
      (from, to) => {
        const [input, output] = [mintOf(from), mintOf(to)];
        const amount = smallAmount(from);
        const route = world.market.quote(input, output, amount)!;
        expect(route.legs).toHaveLength([input, output].some((mint) => mint === USDC || mint === SOL) ? 1 : 2);
        const fair = world.market.fairOutput(input, output, amount)!;
        expect(route.outAmount).toBeLessThan(fair);
        expect(route.outAmount).toBeGreaterThan((fair * 998n) / 1_000n);
        const before = balances(alice);
        const { error, fee, bytes } = world.run(world.wholeSwap(alice.publicKey, route), [alice], route.lookupTables);
        expect(error).toBeNull();
        expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
        const after = balances(alice);
        expect(after.get(from)).toBe(before.get(from)! - amount - (from === 'SOL' ? fee : 0n));
        expect(after.get(to)).toBe(before.get(to)! + route.outAmount - (to === 'SOL' ? fee : 0n));
        expect(world.exists(world.ataOf(alice.publicKey, SOL))).toBe(false);
      },
    );

    function balances(wallet: Keypair): Map<string, bigint> {
      const read = (symbol: string): bigint =>
        symbol === 'SOL' ? world.lamports(wallet.publicKey) : world.held(wallet.publicKey, mintOf(symbol));
      return new Map(SYMBOLS.map((symbol) => [symbol, read(symbol)]));
    }
  });

  describe('a large order', () => {
    beforeAll(async () => {
      alice = await rich('USDC', 'JUP');
    });

    it('is split over three venues, moves the price, and pays what was quoted', () => {
      const route = world.market.quote(USDC, SOL, 90_000_000_001n)!;
      expect(route.legs.map(({ venue }) => venue).sort()).toEqual(['Meteora DLMM', 'Raydium', 'Raydium CLMM']);
      expect(route.legs.reduce((sum, { bps }) => sum + bps, 0)).toBe(10_000);
      expect(route.legs.reduce((sum, { inAmount }) => sum + inAmount, 0n)).toBe(90_000_000_001n);
      expect(route.priceImpactPct).toBeLessThan(-1);
      const single = world.market.quote(USDC, SOL, 90_000_000_001n, { maxLegs: 1 })!;
      expect(single.legs).toHaveLength(1);
      expect(single.outAmount).toBeLessThan(route.outAmount);
      expect(swapped(route)).toBe(route.outAmount);
      expect(world.market.quote(USDC, SOL, 90_000_000_001n)!.outAmount).toBeLessThan(route.outAmount);
    });

    it('goes three ways over third tokens, within one transaction', () => {
      const route = world.market.quote(JUP, BONK, 50_000_000_007n)!;
      expect(route.legs).toHaveLength(6);
      expect(route.lookupTables).toHaveLength(4);
      expect(swapped(route)).toBe(route.outAmount);
      const twoWays = world.market.quote(JUP, BONK, 50_000_000_007n, { maxLegs: 5 })!;
      expect(twoWays.legs).toHaveLength(4);
      expect(world.market.quote(JUP, BONK, 50_000_000_007n, { maxLegs: 1 })).toBeUndefined();
    });

    it('leaves out the venues that it must not use', () => {
      const route = world.market.quote(USDC, SOL, 1_000_000n, { excludeDexes: ['Raydium CLMM'] })!;
      expect(route.legs.map(({ venue }) => venue)).not.toContain('Raydium CLMM');
      expect(world.market.quote(USDC, SOL, 1_000_000n, { excludeDexes: world.market.venues })).toBeUndefined();
    });

    it('pays the platform its part of the output, and quotes the rest', () => {
      const route = world.market.quote(USDC, JUP, 50_000_000_000n)!;
      expect(route.legs.length).toBeGreaterThan(1);
      const instruction = world.swap(alice.publicKey, route, 0, 30);
      const quoted = instruction.data.readBigUInt64LE(16);
      expect(route.outAmount - quoted).toBe(
        route.legs.reduce((sum, { outAmount }) => sum + (outAmount * 30n) / 10_000n, 0n),
      );
      const before = world.held(alice.publicKey, JUP);
      expect(world.run([instruction], [alice], route.lookupTables).error).toBeNull();
      expect(world.held(alice.publicKey, JUP)).toBe(before + quoted);
    });

    function swapped(route: NonNullable<ReturnType<typeof world.market.quote>>): bigint {
      const { publicKey } = alice;
      const prepare = [world.createAta(publicKey, route.outputMint)];
      expect(world.run(prepare, [alice]).error).toBeNull();
      const before = world.held(publicKey, route.outputMint);
      const outcome = world.run([world.budget(), world.swap(publicKey, route)], [alice], route.lookupTables);
      expect(outcome.error).toBeNull();
      expect(outcome.bytes).toBeLessThanOrEqual(MOST_BYTES);
      return world.held(publicKey, route.outputMint) - before;
    }
  });

  describe('a token made later', () => {
    it('is tradeable once it has a price, both ways, and against every other', async () => {
      const unpriced = await world.makeToken({ symbol: 'NOPRICE' }, undefined);
      expect(world.market.quote(unpriced, USDC, 1_000_000n)).toBeUndefined();
      const mint = await world.makeToken({ symbol: 'MADE', decimals: 9 }, '3.5');
      alice = await rich('MADE', 'USDC', 'JUP');
      for (const [from, to] of [
        [mint, USDC],
        [USDC, mint],
        [mint, SOL],
        [JUP, mint],
      ] as const) {
        const route = world.market.quote(from, to, world.market.fairOutput(USDC, from, 20_000_000n)!)!;
        const outcome = world.run(world.wholeSwap(alice.publicKey, route), [alice], route.lookupTables);
        expect(outcome.error).toBeNull();
      }
    });

    it.each([
      ['PLAIN', 'of the first program', { program: 'token' }],
      ['NEWER', 'of token-2022', { program: 'token-2022' }],
      ['TAXED', 'that takes a fee of each transfer', { program: 'token-2022', transferFeeBps: 150 }],
      ['PAUSE', 'that can be paused', { program: 'token-2022', extensions: ['pausable', 'permanentDelegate'] }],
    ] as const)('%s, %s, pays what was quoted, in and out, near and far', async (symbol, _name, order) => {
      const mint = await world.makeToken({ symbol, ...order }, '0.04');
      alice = await rich(symbol, 'USDC', 'JUP');
      for (const [from, to] of [
        [mint, USDC],
        [USDC, mint],
        [mint, JUP],
        [JUP, mint],
      ] as const) {
        for (const usd of [5_000_000n, 40_000_000_000n]) {
          const route = world.market.quote(from, to, world.market.fairOutput(USDC, from, usd)!)!;
          expect(route.legs.length > 2).toBe(usd > 5_000_000n);
          const [paid, got] = [world.held(alice.publicKey, from), world.held(alice.publicKey, to)];
          const outcome = world.run(world.wholeSwap(alice.publicKey, route), [alice], route.lookupTables);
          expect(outcome.error).toBeNull();
          expect(world.held(alice.publicKey, from)).toBe(paid - route.inAmount);
          expect(world.held(alice.publicKey, to)).toBe(got + route.outAmount);
        }
      }
    });
  });

  it('knows no route where there is none', () => {
    expect(world.market.quote(USDC, USDC, 1_000_000n)).toBeUndefined();
    expect(world.market.quote(USDC, SOL, 0n)).toBeUndefined();
    expect(world.market.quote(USDC, SOL, 2n ** 64n)).toBeUndefined();
    expect(world.market.quote(BONK, USDC, 1n)).toBeUndefined();
    expect(world.market.quote(Keypair.generate().publicKey.toBase58(), USDC, 1n)).toBeUndefined();
    expect(world.market.quote('nothing', USDC, 1n)).toBeUndefined();
  });
});
