import { describe, expect, it } from '@jest/globals';
import { temporaryDir, World } from './world.js';

describe('pools after a restart of the sandbox', () => {
  it('are as they were, and follow the price board on', async () => {
    const data = temporaryDir();
    const env = { SANDBOX_DATA_DIR: data.dir };
    let world = await World.start(env);
    const pools = async () =>
      (await world.admin('GET', '/liquidity/pools')).body['pools'] as unknown as Array<Record<string, unknown>>;
    await world.admin('POST', '/prices', { freeze: true });
    await world.admin('POST', '/mints', { symbol: 'NINE', decimals: 9, usd: 2 });
    await world.admin('POST', '/liquidity/pools', { mintA: 'NINE', mintB: 'USDC', skewPercent: 10 });
    const free = { mintA: 'JUP', mintB: 'USDC', address: 'free', amountA: '1000000', amountB: '2000000', status: 1 };
    const made = await world.admin('POST', '/liquidity/pools', free);
    await world.admin('POST', `/liquidity/pools/${String(made.body['pool'])}/swaps`, {
      mint: 'JUP',
      amountRaw: '5000',
    });
    await world.admin('PATCH', `/liquidity/pools/${String(made.body['pool'])}`, { donate1Raw: '3' });
    const before = await pools();
    expect(before).toHaveLength(7);
    await world.stop();
    world = await World.start(env);
    expect(await pools()).toEqual(before);
    await world.admin('POST', '/prices', { token: 'NINE', usd: 4 });
    const moved = (await pools()).filter((pool, index) => JSON.stringify(pool) !== JSON.stringify(before[index]));
    expect(moved.map(({ skewPercent }) => skewPercent)).toEqual([10]);
    await world.stop();
    data.remove();
  });
});
