import { AppError } from '@agent-wallet/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from './client.js';
import { ADDED, REMOVED, SHOWN_POOL, SHOWN_POSITION } from './liquidity-script.js';
import { USDC } from './sample-dry-run.js';
import { World } from './world.js';

const POOL = SHOWN_POOL.pool;

let world: World;
let client: Client;

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  ({ client } = await world.login());
});

describe('POST /wallets/me/actions/liquidity/add', () => {
  it('answers what moved, and asks the service for exactly what the body says', async () => {
    const asked: object[] = [];
    world.script.swap.addLiquidity = async (request) => (asked.push(request), ADDED);
    const body = { pool: POOL, token: 'USDC', amount: 25.5, maxOtherAmount: 0.2, slippageBps: 30 };
    const answer = await client.post('/wallets/me/actions/liquidity/add', body);
    expect(asked).toMatchObject([
      { pool: POOL, token: 'USDC', amount: '25.5', maxOtherAmount: '0.2', slippageBps: 30 },
    ]);
    expect(answer.body.data).toEqual({
      ...{ transactionId: expect.any(String), status: 'confirmed', transactionStatus: 'confirmed' },
      ...{ signature: ADDED.signature, explorerUrl: expect.stringContaining(ADDED.signature) },
      ...{ venue: 'raydium-cpmm', pool: POOL, positionId: POOL, liquidityRaw: '2097352701', slippageBps: 50 },
      lpMint: ADDED.facts!.lpMint,
      spent: [
        { mint: null, symbol: 'SOL', amount: '0.177683014 SOL', amountRaw: '177683014', maxAmountRaw: '178571430' },
        { mint: USDC, symbol: 'USDC', amount: '24.875622 USDC', amountRaw: '24875622', maxAmountRaw: '25000000' },
      ],
      ...{ rentLamports: 2_039_280, networkFeeLamports: 5_000 },
    });
  });

  it.each([
    ['without a pool', { token: 'USDC', amount: 1 }, 'pool'],
    ['with slippage of 0', { pool: POOL, token: 'USDC', amount: 1, slippageBps: 0 }, 'slippageBps'],
    ['with slippage above 10 %', { pool: POOL, token: 'USDC', amount: 1, slippageBps: 1_001 }, 'slippageBps'],
    ['with an amount as text', { pool: POOL, token: 'USDC', amount: '1' }, 'amount'],
    ['with another amount of 0', { pool: POOL, token: 'USDC', amount: 1, maxOtherAmount: 0 }, 'maxOtherAmount'],
    ['with a field too many', { pool: POOL, token: 'USDC', amount: 1, range: {} }, 'range'],
  ])('is refused %s', async (_, body, field) => {
    const answer = await client.post('/wallets/me/actions/liquidity/add', body);
    expect(answer.status).toBe(400);
    expect(answer.body.data).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] });
  });
});

describe('POST /wallets/me/actions/liquidity/remove', () => {
  it.each([
    ['a share', { percent: 12.34 }, { percentBps: 1_234 }],
    ['so many liquidity tokens', { liquidityRaw: '9'.repeat(19) }, { liquidity: 10n ** 19n - 1n }],
  ])('takes %s, and answers what arrived', async (_, part, expected) => {
    const asked: object[] = [];
    world.script.swap.removeLiquidity = async (request) => (asked.push(request), REMOVED);
    const answer = await client.post('/wallets/me/actions/liquidity/remove', { positionId: POOL, ...part });
    expect(asked).toMatchObject([{ pool: POOL, slippageBps: 50, ...expected }]);
    expect(answer.body.data).toMatchObject({
      ...{ positionId: POOL, remainingRaw: '0', liquidityRaw: '2097352701' },
      received: [
        { mint: null, amountRaw: '177683013', minAmountRaw: '176794597' },
        { mint: USDC, amountRaw: '24875621', minAmountRaw: '24751242' },
      ],
    });
  });

  it.each([
    ['percent 0', { percent: 0 }, 'percent'],
    ['percent above 100', { percent: 100.01 }, 'percent'],
    ['liquidity above 64 bits', { liquidityRaw: '18446744073709551616' }, 'liquidityRaw'],
    ['liquidity that is text', { liquidityRaw: '144306771999*' }, 'liquidityRaw'],
    ['liquidity as a number', { liquidityRaw: 5 }, 'liquidityRaw'],
    ['liquidity of 0', { liquidityRaw: '0' }, 'liquidityRaw'],
  ])('refuses %s', async (_, part, field) => {
    const answer = await client.post('/wallets/me/actions/liquidity/remove', { positionId: POOL, ...part });
    expect(answer.status).toBe(400);
    expect(answer.body.data).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] });
  });
});

describe('reads of liquidity', () => {
  it('list pools by symbol or mint', async () => {
    const asked: object[] = [];
    world.script.swap.listPools = async (request) => (asked.push(request), { pools: [SHOWN_POOL], cursor: '20' });
    const answer = await client.get(`/liquidity/pools?mint=usdc&mint2=SOL&limit=7`);
    const mint2 = 'So11111111111111111111111111111111111111112';
    expect(asked).toEqual([{ mint: USDC, mint2, limit: 7, cursor: '' }]);
    expect(answer.body.data).toMatchObject({
      cursor: '20',
      pools: [{ pool: POOL, feeBps: 25, valueUsd: 1999999.999999 }],
    });
  });

  it('show a pool without prices with nulls, and 404 for one that is not there', async () => {
    const { valueUsdMicros: _, ...unpriced } = SHOWN_POOL;
    world.script.swap.getPool = async () => ({ pool: { ...unpriced, unsupportedReason: 'unpriced' } });
    const answer = await client.get(`/liquidity/pools/${POOL}`);
    expect(answer.body.data).toMatchObject({ valueUsd: null, unsupportedReason: 'unpriced' });
    world.script.swap.getPool = async () => {
      throw new AppError('NOT_FOUND', { data: { resource: 'pool' } });
    };
    expect((await client.get(`/liquidity/pools/${POOL}`)).status).toBe(404);
  });

  it('list positions, whose values add up where they are known', async () => {
    const { usdMicros: _, ...unpriced } = SHOWN_POSITION;
    world.script.swap.listPositions = async () => ({ positions: [SHOWN_POSITION, unpriced], pricedAtMs: 0n });
    expect((await client.get('/liquidity/positions')).body.data).toMatchObject({
      positions: [
        { positionId: POOL, liquidityRaw: '2097352701', sharePercent: 0.0024, usdValue: 49.751242 },
        { positionId: POOL, usdValue: null },
      ],
      totalUsdValue: 49.751242,
      pricedAt: null,
    });
  });

  it('give a share of a pool its value among the balances, and null while positions cannot be read', async () => {
    const balances = await world.script.wallet.getBalances({ agentId: '' });
    const share = {
      mint: SHOWN_POOL.lpMint,
      symbol: 'LP',
      amount: 2_097_352_701n,
      decimals: 9,
      isLiquidity: true,
      isScaled: false,
    };
    world.script.wallet.getBalances = async () => ({ ...balances, tokens: [...balances.tokens, share] });
    const pricedAtMs = 1_763_719_100_000n;
    world.script.swap.listPositions = async () => ({ positions: [SHOWN_POSITION], pricedAtMs });
    const shown = async () => (await client.get('/wallets/me/balances')).body.data;
    const valued = await shown();
    expect(valued.tokens.at(-1)).toMatchObject({
      ...{ usdValue: 49.751242, liquidity: { venue: 'raydium-cpmm', pool: POOL } },
    });
    expect(valued).toMatchObject({ totalUsdValue: 338.851242, pricedAt: '2025-11-21T09:58:20.000Z' });
    world.script.swap.listPositions = async () => {
      throw new AppError('UPSTREAM_ERROR');
    };
    const unknown = await shown();
    expect(unknown.tokens.at(-1)).toMatchObject({ usdValue: null, liquidity: null });
    expect(unknown.totalUsdValue).toBe(289.1);
  });

  it('count a share once among the balances, though its liquidity token has a market price', async () => {
    const balances = await world.script.wallet.getBalances({ agentId: '' });
    const token = {
      mint: SHOWN_POOL.lpMint,
      symbol: 'LP',
      amount: 2_097_352_701n,
      decimals: 9,
      isLiquidity: true,
      isScaled: false,
    };
    const other = { ...token, mint: USDC.replace('E', 'F'), usdMicros: 7_000_000n };
    const others = balances.tokens.filter(({ mint }) => mint !== token.mint);
    const tokens = [...others, { ...token, usdMicros: 100_000_000n }, other];
    const totalUsdMicros = balances.totalUsdMicros + 107_000_000n;
    world.script.wallet.getBalances = async () => ({ ...balances, tokens, totalUsdMicros });
    world.script.swap.listPositions = async () => ({ positions: [SHOWN_POSITION], pricedAtMs: 1_763_719_100_000n });
    const { data } = (await client.get('/wallets/me/balances')).body;
    expect(data.tokens.slice(-2)).toMatchObject([{ usdValue: 49.751242 }, { usdValue: 7, liquidity: null }]);
    expect(data.totalUsdValue).toBe(345.851242);
    // A share that the wallet did not mark counts by its token alone.
    const unmarked = tokens.map((each) => ({ ...each, isLiquidity: each === other }));
    world.script.wallet.getBalances = async () => ({ ...balances, tokens: unmarked, totalUsdMicros });
    expect((await client.get('/wallets/me/balances')).body.data.totalUsdValue).toBe(396.1);
  });
});
