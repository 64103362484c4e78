import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PublicKey } from '@solana/web3.js';
import { World } from './world.js';

const CPMM = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C';
const AMM_V4 = '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8';
const SOL = 'So11111111111111111111111111111111111111112';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const JUP = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN';
const SOL_USDC = '7JuwJuNU88gurFnyWeiyGKbFmExMWcmRZntn9imEzdny';
const LP_MINT = 'Ff68JGeEiUEF859B2xEaPX82vuFeuwxqoxGNHTZPAuKR';

interface Info {
  readonly type: string;
  readonly programId: string;
  readonly id: string;
  readonly mintA: { readonly address: string; readonly symbol: string; readonly decimals: number };
  readonly mintB: { readonly address: string; readonly symbol: string; readonly decimals: number };
  readonly price: number;
  readonly mintAmountA: number;
  readonly mintAmountB: number;
  readonly tvl: number;
  readonly lpMint: { readonly address: string };
  readonly config?: { readonly id: string; readonly index: number; readonly tradeFeeRate: number };
}

interface List {
  readonly count: number;
  readonly hasNextPage: boolean;
  readonly nextPageId?: string;
  readonly data: readonly Info[];
}

let world: World;

beforeAll(async () => {
  world = await World.start();
  await world.admin('POST', '/prices', { freeze: true });
});

beforeEach(() => world.admin('DELETE', '/faults'));

afterAll(() => world.stop());

const ask = (path: string) => fetch(world.sandbox.liquidityUrl + path);

async function data<T>(path: string): Promise<T> {
  const response = await ask(path);
  const body = (await response.json()) as { id: string; success: boolean; data: T };
  expect([response.status, body.success, typeof body.id]).toEqual([200, true, 'string']);
  return body.data;
}

const arm = (fault: string, more: Record<string, unknown> = {}) => world.arm(fault, more, 'liquidity');

describe("the liquidity venue's API", () => {
  it('lists pools with their tokens, price, value and fee tier, and an older pool among them', async () => {
    const list = await data<List>(`/pools/info/list-v2?size=10&poolType=Standard&sortField=liquidity&sortType=desc`);
    expect(list).toMatchObject({ count: 5, hasNextPage: false });
    expect(list.data.filter(({ programId }) => programId === CPMM)).toHaveLength(4);
    expect(list.data.filter(({ programId }) => programId === AMM_V4)).toHaveLength(1);
    const pool = list.data.find(({ id }) => id === SOL_USDC)!;
    expect(pool).toMatchObject({
      type: 'Standard',
      mintA: { address: SOL, symbol: 'SOL', decimals: 9, programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' },
      mintB: { address: USDC, symbol: 'USDC', decimals: 6 },
      feeRate: 0.0025,
      openTime: '0',
      config: { index: 0, tradeFeeRate: 2500, protocolFeeRate: 120000, fundFeeRate: 40000 },
      lpMint: { address: LP_MINT, decimals: 9 },
    });
    expect(pool.price).toBeCloseTo(pool.mintAmountB / pool.mintAmountA, 6);
    expect(Math.abs(pool.tvl / 2_000_000 - 1)).toBeLessThan(0.05);
  });

  it('pages, and filters by mints in any order and by type', async () => {
    const first = await data<List>('/pools/info/list-v2?size=2');
    expect(first).toMatchObject({ count: 5, hasNextPage: true });
    const second = await data<List>(`/pools/info/list-v2?size=3&nextPageId=${first.nextPageId}`);
    expect(second.hasNextPage).toBe(false);
    expect(new Set([...first.data, ...second.data].map(({ id }) => id)).size).toBe(5);
    const pair = await data<List>(`/pools/info/mint?mint1=${USDC}&mint2=${SOL}&poolType=standard&pageSize=1&page=2`);
    expect(pair).toMatchObject({ count: 3, hasNextPage: true });
    expect(pair.data).toHaveLength(1);
    expect((await data<List>(`/pools/info/mint?mint1=${JUP}`)).count).toBe(1);
    expect(await data<List>('/pools/info/list-v2?poolType=Concentrated')).toMatchObject({ count: 0, data: [] });
  });

  it('finds pools and keys by id and by LP mint, null where there is none', async () => {
    const infos = await data<Array<Info | null>>(`/pools/info/ids?ids=${SOL_USDC},${JUP}`);
    expect([infos[0]!.id, infos[1]]).toEqual([SOL_USDC, null]);
    const byLp = await data<Array<Info | null>>(`/pools/info/lps?lps=${LP_MINT},${JUP}`);
    expect([byLp[0]!.id, byLp[1]]).toEqual([SOL_USDC, null]);
    expect((await data<unknown[]>(`/pools/key/ids?ids=${SOL_USDC}`))[0]).toMatchObject({
      programId: CPMM,
      id: SOL_USDC,
      authority: 'GpMZbSM2GgvTKHJirzeGfMFoaZ8UR2X7F4v8vHTvxFbL',
      vault: {
        A: '7VLUXrnSSDo9BfCa4NWaQs68g7ddDY1sdXBKW6Xswj9Y',
        B: '3rzbbW5Q8MA7sCaowf28hNgACNPecdS2zceWy7Ptzua9',
      },
      mintLp: { address: LP_MINT, decimals: 9 },
      config: { id: 'D4FPEruKEHrG5TenZ2mpDGEfu1iUvTiqBxvpU8HLBvC2', index: 0 },
    });
    expect(await data('/main/cpmm-config')).toMatchObject([
      { index: 0, tradeFeeRate: 2500, createPoolFee: '150000000' },
      { index: 1, tradeFeeRate: 10000 },
    ]);
  });

  it('follows the price board', async () => {
    await world.admin('POST', '/prices', { token: 'USDC', usd: 1 });
    await world.admin('POST', '/prices', { token: 'SOL', usd: 200 });
    const [pool] = await data<Info[]>(`/pools/info/ids?ids=${SOL_USDC}`);
    expect(pool!.price).toBeCloseTo(200, 2);
  });

  it.each([
    '/pools/info/ids',
    '/pools/info/ids?ids=x',
    '/pools/info/mint',
    '/pools/info/mint?mint1=x',
    '/pools/info/list-v2?size=0',
    '/pools/info/list-v2?size=1001',
    '/pools/info/list-v2?nextPageId=x',
    '/pools/info/list-v2?poolType=odd',
  ])('refuses %s', async (path) => {
    const response = await ask(path);
    expect([response.status, await response.json()]).toMatchObject([400, { success: false, msg: expect.any(String) }]);
  });
});

describe('faults of the liquidity venue', () => {
  const PATH = '/pools/info/list-v2';

  it('refuses with 429 and with 500, only where a fault says so, and never at the aggregator', async () => {
    await arm('error429');
    await arm('error500', { match: { path: '/raydium/main/cpmm-config' } });
    expect((await fetch(`${world.sandbox.aggregatorUrl}/price/v3?ids=${SOL}`)).status).toBe(200);
    const refused = await ask(PATH);
    expect([refused.status, await refused.json()]).toMatchObject([429, { success: false }]);
    expect((await ask(PATH)).status).toBe(200);
    expect((await ask('/main/cpmm-config')).status).toBe(500);
    expect((await ask('/main/cpmm-config')).status).toBe(200);
  });

  it('answers late, or cuts the connection', async () => {
    await arm('delay', { delayMs: 150 });
    const startMs = performance.now();
    expect((await ask(PATH)).status).toBe(200);
    expect(performance.now() - startMs).toBeGreaterThan(140);
    await arm('timeout', { delayMs: 20 });
    await expect(ask(PATH)).rejects.toThrow('fetch failed');
  });

  it('lists a pool that is nowhere, and a look-alike as if it were real', async () => {
    const honest = await data<List>(PATH);
    await arm('fakePool', { times: 2 });
    const list = await data<List>(PATH);
    const known = new Set(honest.data.map(({ id }) => id));
    const fakes = list.data.filter(({ id }) => !known.has(id));
    expect(fakes.map(({ programId }) => programId)).toEqual([CPMM, CPMM]);
    const accounts = await Promise.all(fakes.map(({ id }) => world.connection.getAccountInfo(new PublicKey(id))));
    expect(accounts.filter((account) => account === null)).toHaveLength(1);
    const lookAlike = accounts.find((account) => account !== null)!;
    expect(lookAlike.data.length).toBe(637);
    expect(lookAlike.owner.toBase58()).not.toBe(CPMM);
    const ids = fakes.map(({ id }) => id).join(',');
    expect((await data<Info[]>(`/pools/info/ids?ids=${ids}`)).map((pool) => pool.id)).toEqual(ids.split(','));
    expect(await data(`/pools/info/ids?ids=${ids}`)).toEqual([null, null]);
  });

  it('shows the keys of another pool', async () => {
    const path = `/pools/key/ids?ids=${SOL_USDC}`;
    const [right] = await data<Array<Record<string, unknown>>>(path);
    await arm('wrongKeys', { times: 2 });
    const [wrong] = await data<Array<Record<string, unknown>>>(path);
    for (const field of ['vault', 'mintLp', 'observationId']) expect(wrong![field]).not.toEqual(right![field]);
    expect((await data<Info[]>(`/pools/info/ids?ids=${SOL_USDC}`))[0]!.lpMint.address).not.toBe(LP_MINT);
    expect((await data<unknown[]>(path))[0]).toEqual(right);
  });

  it('states a thousand times the value', async () => {
    const path = `/pools/info/ids?ids=${SOL_USDC}`;
    const [right] = await data<Info[]>(path);
    await arm('lyingTvl');
    expect((await data<Info[]>(path))[0]!.tvl).toBe(right!.tvl * 1_000);
    expect((await data<Info[]>(path))[0]!.tvl).toBe(right!.tvl);
  });
});
