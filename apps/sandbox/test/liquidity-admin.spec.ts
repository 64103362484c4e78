import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Keypair, PublicKey } from '@solana/web3.js';
import { World } from './world.js';

const CPMM = new PublicKey('CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C');
const CONFIG_0 = 'D4FPEruKEHrG5TenZ2mpDGEfu1iUvTiqBxvpU8HLBvC2';
const SOL_USDC = '7JuwJuNU88gurFnyWeiyGKbFmExMWcmRZntn9imEzdny';
const VAULTS = ['7VLUXrnSSDo9BfCa4NWaQs68g7ddDY1sdXBKW6Xswj9Y', '3rzbbW5Q8MA7sCaowf28hNgACNPecdS2zceWy7Ptzua9'];
const LP_MINT = 'Ff68JGeEiUEF859B2xEaPX82vuFeuwxqoxGNHTZPAuKR';

interface PoolJson {
  readonly pool: string;
  readonly lpMint: string;
  readonly vaults: readonly [string, string];
  readonly config: string;
  readonly mint0: string;
  readonly mint1: string;
  readonly owner: string;
  readonly configIndex: number;
  readonly reserves: readonly [string, string];
  readonly lpSupply: string;
  readonly protocolFees: readonly [string, string];
  readonly status: number;
  readonly openTime: number;
  readonly skewPercent: number | null;
}

describe('the admin API of the liquidity venue', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
    await world.admin('POST', '/prices', { freeze: true });
    for (const [token, usd] of [
      ['SOL', 150],
      ['USDC', 1],
      ['JUP', 0.5],
      ['BONK', 0.00002],
    ]) {
      await world.admin('POST', '/prices', { token, usd });
    }
  });

  afterAll(() => world.stop());

  const pools = async (): Promise<PoolJson[]> => (await world.admin('GET', '/liquidity/pools')).body['pools']!;
  const poolOf = async (address: string): Promise<PoolJson> => (await pools()).find(({ pool }) => pool === address)!;
  const ratio = ({ reserves }: PoolJson): number => Number(reserves[1]) / Number(reserves[0]);
  const product = ({ reserves }: PoolJson): bigint => BigInt(reserves[0]) * BigInt(reserves[1]);
  const patch = (address: string, body: unknown) => world.admin('PATCH', `/liquidity/pools/${address}`, body);
  const make = async (body: Record<string, unknown>): Promise<PoolJson> => {
    const { status, body: made } = await world.admin('POST', '/liquidity/pools', body);
    expect([status, made]).toMatchObject([200, {}]);
    return poolOf(made['pool']!);
  };

  it('begins with pools at the addresses that the real program derives', async () => {
    const pool = await poolOf(SOL_USDC);
    expect(pool).toMatchObject({ config: CONFIG_0, vaults: VAULTS, lpMint: LP_MINT, owner: CPMM.toBase58() });
    expect(pool).toMatchObject({ configIndex: 0, status: 0, openTime: 0, skewPercent: 0, protocolFees: ['0', '0'] });
    expect(Number(pool.reserves[0]) / 1e9).toBeCloseTo(1_000_000 / 150, 0);
    expect(Number(pool.reserves[1]) / 1e6).toBeCloseTo(1_000_000, -2);
    const account = await world.connection.getAccountInfo(new PublicKey(SOL_USDC));
    expect(account!.owner).toEqual(CPMM);
    expect(account!.data.length).toBe(637);
    const { value } = await world.connection.getTokenSupply(new PublicKey(LP_MINT));
    expect([value.amount, value.decimals]).toEqual([String(BigInt(pool.lpSupply) - 100n), 9]);
    expect((await pools()).filter(({ owner }) => owner === CPMM.toBase58())).toHaveLength(4);
  });

  it('moves pools with a set price at a constant product, and keeps what swaps did while prices stand', async () => {
    const before = await poolOf(SOL_USDC);
    await world.admin('POST', '/prices', { token: 'SOL', usd: 300 });
    const moved = await poolOf(SOL_USDC);
    expect(ratio(moved) / ratio(before)).toBeCloseTo(2, 6);
    expect(product(moved)).toBeGreaterThanOrEqual(product(before));
    expect(product(moved) - product(before)).toBeLessThan(BigInt(moved.reserves[0]));
    expect(moved.lpSupply).toBe(before.lpSupply);
    const body = { mint: 'USDC', amountRaw: '50000000000' };
    const swap = await world.admin('POST', `/liquidity/pools/${SOL_USDC}/swaps`, body);
    expect(swap).toMatchObject({ status: 200, body: { amountInRaw: '50000000000' } });
    const { value } = await world.connection.getSignatureStatuses([swap.body['signature']!]);
    expect(value[0]!.err).toBeNull();
    const swapped = await poolOf(SOL_USDC);
    expect(BigInt(moved.reserves[0]) - BigInt(swapped.reserves[0])).toBe(BigInt(swap.body['amountOutRaw']!));
    expect(BigInt(swapped.protocolFees[1])).toBe((125_000_000n * 120_000n) / 1_000_000n);
    expect(await poolOf(SOL_USDC)).toEqual(swapped);
    await world.admin('POST', '/prices', { token: 'SOL', usd: 150 });
    expect(ratio(await poolOf(SOL_USDC)) / ratio(before)).toBeCloseTo(1, 6);
  });

  it('makes a pool of any two tokens, at the prices of the board', async () => {
    const mint = (await world.admin('POST', '/mints', { symbol: 'NINE', decimals: 9, usd: 2 })).body['mint']!;
    const pool = await make({ mintA: 'USDC', mintB: mint, configIndex: 1, depthUsd: '2500.5' });
    const side = pool.mint0 === mint ? 0 : 1;
    expect([pool.reserves[side], pool.reserves[1 - side]]).toEqual(['1250250000000', '2500500000']);
    expect(pool.config).not.toBe(CONFIG_0);
    expect((await world.admin('POST', '/liquidity/pools', { mintA: mint, mintB: 'USDC', configIndex: 1 })).status).toBe(
      409,
    );
    const taxed = { symbol: 'TAX', decimals: 6, program: 'token-2022', transferFeeBps: 100 };
    await world.admin('POST', '/mints', taxed);
    const second = await make({ mintA: 'TAX', mintB: 'SOL', amountA: '1000000000', amountB: '3000000000' });
    expect(second.skewPercent).toBeNull();
    const swap = { mint: 'SOL', amountRaw: '1000000' };
    expect((await world.admin('POST', `/liquidity/pools/${second.pool}/swaps`, swap)).status).toBe(200);
    const back = await world.admin('POST', `/liquidity/pools/${second.pool}/swaps`, { mint: 'TAX', amountRaw: '1000' });
    expect(back.body['amountInRaw']).toBe('1000');
  });

  it('makes skewed pools, pools at free addresses, and pools of look-alikes', async () => {
    const owner = Keypair.generate().publicKey.toBase58();
    const fair = await make({ mintA: 'SOL', mintB: 'USDC', address: 'free' });
    const skewed = await make({
      mintA: 'SOL',
      mintB: 'USDC',
      address: 'free',
      skewPercent: 25,
      openTime: 2_000_000_000,
    });
    expect(ratio(skewed) / ratio(fair)).toBeCloseTo(1.25, 6);
    expect(skewed).toMatchObject({ skewPercent: 25, openTime: 2_000_000_000 });
    expect(new Set([SOL_USDC, fair.pool, skewed.pool]).size).toBe(3);
    const fake = await make({ mintA: 'SOL', mintB: 'USDC', owner, status: 6 });
    expect(fake).toMatchObject({ owner, status: 6, mint0: fair.mint0 });
    expect((await world.connection.getAccountInfo(new PublicKey(fake.pool)))!.owner.toBase58()).toBe(owner);
  });

  it('changes a pool at once', async () => {
    const pool = await make({ mintA: 'JUP', mintB: 'USDC' });
    expect((await patch(pool.pool, { status: 3, openTime: 1_900_000_000 })).body).toMatchObject({
      ...{ status: 3, openTime: 1_900_000_000, reserves: pool.reserves },
    });
    const skewed = (await patch(pool.pool, { skewPercent: -20 })).body as unknown as PoolJson;
    expect(ratio(skewed) / ratio(pool)).toBeCloseTo(0.8, 6);
    expect(product(skewed)).toBeGreaterThanOrEqual(product(pool));
    await world.admin('POST', '/prices', { token: 'JUP', usd: 1 });
    expect(ratio(await poolOf(pool.pool)) / ratio(pool)).toBeCloseTo(1.6, 6);
    await world.admin('POST', '/prices', { token: 'JUP', usd: 0.5 });
    const before = await poolOf(pool.pool);
    const given = (await patch(pool.pool, { donate0Raw: '5', donate1Raw: '7' })).body as unknown as PoolJson;
    expect(given.reserves).toEqual([String(BigInt(before.reserves[0]) + 5n), String(BigInt(before.reserves[1]) + 7n)]);
    expect(given.lpSupply).toBe(pool.lpSupply);
  });

  it('keeps the lamports of a vault of wrapped SOL with its balance', async () => {
    await patch(SOL_USDC, { donate0Raw: '1000000' });
    const vault = (await world.connection.getAccountInfo(new PublicKey(VAULTS[0]!)))!;
    const { reserves } = await poolOf(SOL_USDC);
    expect(BigInt(vault.lamports) - 2_039_280n).toBeGreaterThanOrEqual(BigInt(reserves[0]));
    expect(vault.data.readBigUInt64LE(64)).toBe(BigInt(vault.lamports) - 2_039_280n);
  });

  it.each([
    [{ mintA: 'SOL' }, 'mintB'],
    [{ mintA: 'SOL', mintB: 'NOPE' }, 'mintB: unknown token: NOPE'],
    [{ mintA: 'SOL', mintB: 'SOL' }, 'must differ'],
    [{ mintA: 'SOL', mintB: 'JUP', configIndex: 2 }, 'configIndex'],
    [{ mintA: 'SOL', mintB: 'JUP', depthUsd: '-1' }, 'depthUsd'],
    [{ mintA: 'SOL', mintB: 'JUP', depthUsd: '0' }, 'depthUsd'],
    [{ mintA: 'SOL', mintB: 'JUP', depthUsd: '10000000000000' }, 'a side must hold'],
    [{ mintA: 'SOL', mintB: 'JUP', amountA: '1' }, 'belong together'],
    [{ mintA: 'SOL', mintB: 'JUP', amountA: '1', amountB: '1', depthUsd: '1' }, 'either depthUsd'],
    [{ mintA: 'SOL', mintB: 'JUP', amountA: '1.5', amountB: '1' }, 'amountA'],
    [{ mintA: 'SOL', mintB: 'JUP', amountA: '99', amountB: '100', address: 'free' }, 'too small'],
    [{ mintA: 'SOL', mintB: 'JUP', amountA: '4611686018427387904', amountB: '1' }, '2^62'],
    [{ mintA: 'SOL', mintB: 'JUP', status: 8 }, 'status'],
    [{ mintA: 'SOL', mintB: 'JUP', openTime: -1 }, 'openTime'],
    [{ mintA: 'SOL', mintB: 'JUP', owner: 'x' }, 'owner'],
    [{ mintA: 'SOL', mintB: 'JUP', skewPercent: -100 }, 'skewPercent'],
    [{ mintA: 'SOL', mintB: 'JUP', other: 1 }, 'other'],
  ])('refuses a pool %j', async (body, message) => {
    const reply = await world.admin('POST', '/liquidity/pools', body);
    expect([reply.status, reply.body['error']]).toEqual([400, expect.stringContaining(message)]);
  });

  it('needs a price or amounts', async () => {
    await world.admin('POST', '/mints', { symbol: 'BLANK', decimals: 6 });
    const blank = { mintA: 'BLANK', mintB: 'SOL' };
    const reply = await world.admin('POST', '/liquidity/pools', blank);
    expect([reply.status, reply.body['error']]).toEqual([400, expect.stringContaining('BLANK has no price')]);
    const amounts = { amountA: '1000000', amountB: '1000000' };
    const skewed = await world.admin('POST', '/liquidity/pools', { ...blank, ...amounts, skewPercent: 1 });
    expect(skewed.status).toBe(400);
    const pool = await make({ ...blank, ...amounts });
    expect((await patch(pool.pool, { skewPercent: 5 })).status).toBe(400);
  });

  it('refuses changes and swaps that make no sense', async () => {
    const unknown = Keypair.generate().publicKey.toBase58();
    expect((await patch('x', { status: 1 })).status).toBe(400);
    expect((await patch(unknown, { status: 1 })).status).toBe(404);
    expect((await patch(SOL_USDC, {})).status).toBe(400);
    expect((await patch(SOL_USDC, { status: 9 })).status).toBe(400);
    expect((await patch(SOL_USDC, { donate0Raw: '4611686018427387904' })).status).toBe(400);
    const swaps = (pool: string, body: unknown) => world.admin('POST', `/liquidity/pools/${pool}/swaps`, body);
    expect((await swaps(unknown, { mint: 'SOL', amountRaw: '1' })).status).toBe(404);
    expect((await swaps(SOL_USDC, { mint: 'JUP', amountRaw: '1' })).status).toBe(400);
    expect((await swaps(SOL_USDC, { mint: 'SOL', amountRaw: '0' })).status).toBe(400);
    await patch(SOL_USDC, { status: 4 });
    const paused = await swaps(SOL_USDC, { mint: 'SOL', amountRaw: '1000' });
    expect([paused.status, paused.body['error']]).toEqual([422, expect.stringContaining('6000')]);
    await patch(SOL_USDC, { status: 0 });
  });
});
