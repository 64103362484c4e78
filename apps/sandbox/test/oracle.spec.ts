import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PublicKey } from '@solana/web3.js';
import { World } from './world.js';

const PUSH_ORACLE = new PublicKey('pythWSnswVUd12oZpeFP8e9CVaEqJg25g1Vtc2biRsT');
const RECEIVER = 'rec5EKMGg6MxZYaMdyBfgwp4d5rB9T1VQH5pJv5LtFJ';
const SOL_FEED = 'ef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d';
const SOL = 'So11111111111111111111111111111111111111112';

/** A feed's account in shard 0, as Pyth derives it. */
function accountOf(feed: string): PublicKey {
  return PublicKey.findProgramAddressSync([Buffer.from([0, 0]), Buffer.from(feed, 'hex')], PUSH_ORACLE)[0];
}

describe('the price sources', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());
  beforeEach(async () => {
    await world.admin('POST', '/prices', { freeze: true });
    await world.admin('POST', '/prices', { token: 'SOL', usd: 150 });
  });

  const deviate = (change: object) => world.admin('POST', '/prices', { token: 'SOL', ...change });

  async function oracle() {
    const info = await world.connection.getAccountInfo(accountOf(SOL_FEED));
    if (!info) return undefined;
    const { data, owner } = info;
    expect(owner.toBase58()).toBe(RECEIVER);
    expect(data).toHaveLength(134);
    expect(data.toString('hex', 41, 73)).toBe(SOL_FEED);
    const scale = -data.readInt32LE(89);
    return {
      isFull: data.readUInt8(40) === 1,
      usd: Number(data.readBigInt64LE(73)) / 10 ** scale,
      confidence: Number(data.readBigUInt64LE(81)) / 10 ** scale,
      publishTime: Number(data.readBigInt64LE(93)),
    };
  }

  async function aggregator() {
    const response = await fetch(`${world.sandbox.aggregatorUrl}/price/v3?ids=${SOL}`);
    return ((await response.json()) as Record<string, { usdPrice: number; liquidity: number }>)[SOL];
  }

  it('publish the same price', async () => {
    expect(await oracle()).toMatchObject({ isFull: true, usd: 150, confidence: 0.15 });
    expect(await aggregator()).toMatchObject({ usdPrice: 150 });
    const head = await world.connection.getBlockTime(await world.connection.getSlot());
    expect(Math.abs((await oracle())!.publishTime - head!)).toBeLessThanOrEqual(2);
  });

  it('deviate one by one, until the price is set again', async () => {
    await deviate({ source: 'oracle', usd: 90, confidencePercent: 3 });
    expect(await oracle()).toMatchObject({ usd: 90, confidence: 2.7 });
    expect(await aggregator()).toMatchObject({ usdPrice: 150 });
    await deviate({ source: 'aggregator', usd: '0.15', liquidityUsd: 12, change24hPercent: -99.9 });
    expect(await aggregator()).toMatchObject({ usdPrice: 0.15, liquidity: 12, priceChange24h: -99.9 });
    expect(await oracle()).toMatchObject({ usd: 90 });
    await deviate({ usd: 151 });
    expect(await oracle()).toMatchObject({ usd: 151, confidence: 0.151 });
    expect(await aggregator()).toMatchObject({ usdPrice: 151, liquidity: 50_000_000 });
  });

  it('can be missing, or old', async () => {
    const fresh = (await oracle())!.publishTime;
    await deviate({ source: 'oracle', ageSeconds: 3600 });
    expect(Math.abs(fresh - 3600 - (await oracle())!.publishTime)).toBeLessThanOrEqual(2);
    await deviate({ source: 'oracle', usd: null });
    expect(await oracle()).toBeUndefined();
    await deviate({ source: 'aggregator', usd: null });
    expect(await aggregator()).toBeUndefined();
  });

  it('show in the list only where they deviate', async () => {
    const shown = async () => {
      const prices: readonly { token: string }[] = (await world.admin('GET', '/prices')).body.prices!;
      return prices.find(({ token }) => token === 'SOL');
    };
    expect(await shown()).not.toHaveProperty('oracle');
    await deviate({ source: 'oracle', ageSeconds: 60, usd: 9 });
    expect(await shown()).toMatchObject({ usd: 150, oracle: { usd: 9, ageSeconds: 60 } });
  });

  it('reject a deviation that changes nothing', async () => {
    expect(await deviate({ source: 'oracle' })).toMatchObject({ status: 400 });
    expect(await deviate({ source: 'bank', usd: 1 })).toMatchObject({ status: 400 });
  });
});
