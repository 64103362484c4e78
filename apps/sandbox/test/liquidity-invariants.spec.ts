import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Keypair } from '@solana/web3.js';
import { createHash } from 'node:crypto';
import type { Key } from '../src/encoding/keys.js';
import { integerSqrt, reservesAtPrice } from '../src/liquidity/constant-product.js';
import { unitPrice } from '../src/market/pair.js';
import { freePlan, Provider } from './liquidity-calls.js';
import { MarketWorld } from './market-world.js';
import { temporaryDir } from './world.js';

const SEQUENCES = 100;
const STEPS = 5;
const MOST = 2n ** 64n - 1n;

/** Numbers that look random and are the same at every run. */
class Choices {
  private count = 0;

  constructor(private readonly name: string) {}

  below(bound: bigint): bigint {
    this.count += 1;
    const hash = createHash('sha256').update(`${this.name}/${this.count}`).digest();
    return hash.readBigUInt64LE(0) % bound;
  }
}

describe('reserves at a price', () => {
  it.each([0n, 1n, 2n, 3n, 4n, 8n, 9n, 10n ** 30n, 10n ** 30n - 1n, 2n ** 124n + 1n])('square root of %s', (value) => {
    const root = integerSqrt(value);
    expect(root * root <= value && (root + 1n) * (root + 1n) > value).toBe(true);
  });

  it('keeps at least the product and stands at the price, with a skew above it', () => {
    const prices = [unitPrice('150', 9)!, unitPrice('1', 6)!] as const;
    const reserves = [6_666_666_666_666n, 900_000_000_000n] as const;
    for (const [skew, expected] of [
      [0, 150],
      [100, 300],
      [-50, 75],
    ] as const) {
      const [one, other] = reservesAtPrice(reserves, prices, skew)!;
      expect(one * other).toBeGreaterThanOrEqual(reserves[0] * reserves[1]);
      expect((Number(other) / Number(one)) * 1_000).toBeCloseTo(expected, 4);
    }
  });

  it('leaves no side empty', () => {
    expect(reservesAtPrice([1n, 1n], [unitPrice('1000', 0)!, unitPrice('1', 0)!], 0)).toBeUndefined();
  });
});

describe('random sequences of deposits, withdrawals, swaps and donations', () => {
  const data = temporaryDir();
  let world: MarketWorld;

  beforeAll(() => {
    world = new MarketWorld(data.dir);
  });

  afterAll(async () => {
    await world.close();
    data.remove();
  });

  it('never let R0 R1 / S^2 fall, and conserve tokens', async () => {
    const wallet = Keypair.generate();
    await world.fund(wallet.publicKey, 'SOL', 100_000_000_000n);
    for (const symbol of ['USDC', 'JUP']) await world.fund(wallet.publicKey, symbol, 1_000_000_000_000n);
    for (let index = 0; index < SEQUENCES; index++) runSequence(new Choices(`sequence ${index}`), wallet);
  });

  function runSequence(choices: Choices, wallet: Keypair): void {
    const provider = new Provider(world, wallet, makePool(choices));
    provider.open();
    const totals = () => provider.held().map((units, side) => units + provider.vaults()[side]!);
    let expected = totals();
    for (let step = 0; step < STEPS; step++) {
      const { reserves, lpSupply } = provider.pool;
      const donated = act(provider, choices);
      expected = expected.map((units, side) => units + donated[side]!);
      const after = provider.pool;
      expect(totals()).toEqual(expected);
      expect(after.lpSupply - provider.minted()).toBe(100n);
      const product = after.reserves[0] * after.reserves[1] * lpSupply ** 2n;
      expect(product >= reserves[0] * reserves[1] * after.lpSupply ** 2n).toBe(true);
    }
  }

  /** Does one thing to a pool, and returns what a stranger gave. Refusals are fine. */
  function act(provider: Provider, choices: Choices): readonly [bigint, bigint] {
    const { lpSupply, reserves } = provider.pool;
    const kind = choices.below(5n);
    const side = choices.below(2n) === 0n ? 0 : 1;
    if (kind === 0n) provider.withdraw(1n + choices.below(provider.lp() + 1n), 0n, 0n);
    else if (kind <= 2n) provider.deposit(1n + choices.below(lpSupply), MOST, MOST);
    else if (kind === 3n) provider.swap(side, 1n + choices.below(reserves[side] * 2n));
    else {
      const donations = [choices.below(1_000n), choices.below(1_000n)] as const;
      world.liquidity.change(provider.pool, { donations });
      return donations;
    }
    return [0n, 0n];
  }

  function makePool(choices: Choices): Key {
    const amounts = [1n + choices.below(10_000_000n), 20_000n + choices.below(10_000_000n)] as const;
    return world.liquidity.create(freePlan(world, ['JUP', 'USDC'], amounts), null).address;
  }
});
