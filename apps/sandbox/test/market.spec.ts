import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Keypair } from '@solana/web3.js';
import { temporaryDir } from './world.js';
import { MarketWorld, mintOf } from './market-world.js';

const [SOL, USDC, JUP, BONK] = ['SOL', 'USDC', 'JUP', 'BONK'].map(mintOf) as [string, string, string, string];

describe('the market on the chain', () => {
  const data = temporaryDir();
  let world: MarketWorld;
  const alice = Keypair.generate();

  beforeAll(async () => {
    world = new MarketWorld(data.dir);
    await world.fund(alice.publicKey, 'SOL', 1_000_000_000_000_000n);
    await world.fund(alice.publicKey, 'USDC', 1_000_000_000_000n);
    await world.fund(alice.publicKey, 'JUP', 1_000_000_000_000n);
  });

  afterAll(async () => {
    await world.close();
    data.remove();
  });

  it('pays what it quoted, to the unit', () => {
    for (const [input, output, amount] of [
      [USDC, SOL, 10_000_000n],
      [SOL, USDC, 1_000_000_000n],
      [USDC, SOL, 100_000_000_000n],
      [USDC, JUP, 10_000_000n],
      [JUP, BONK, 5_000_000n],
      [JUP, BONK, 50_000_000_000n],
    ] as const) {
      const route = world.market.quote(input, output, amount)!;
      console.log(route.legs, route.outAmount, route.priceImpactPct);
      const r = world.run(world.wholeSwap(alice.publicKey, route), [alice], route.lookupTables);
      console.log(r);
      expect(r.error).toBeNull();
    }
  });
});
