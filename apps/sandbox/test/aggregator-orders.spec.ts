import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { errorResponse } from '@agent-wallet/jupiter';
import { Keypair, VersionedTransaction } from '@solana/web3.js';
import { BONK, Integrator, JUP, MAKER, POOLS, SOL, USDC, USDT } from './aggregator-client.js';
import { World } from './world.js';

const WIF = 'EKpQGSJtjMFqKZ9KQanSqYXRcF8fBopzLHYxdM65zcjm';
const RAY = '4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R';
const ORCA = 'orcaEKTdK7LKz57vaAYr9QeNsVEPfiu6QeMU1kektZE';

const SOL_TO_USDC = { inputMint: SOL, outputMint: USDC, amount: 1_000_000_000 };

describe('orders of the aggregator', () => {
  let world: World;
  let v2: Integrator;
  let ultra: Integrator;

  beforeAll(async () => {
    world = await World.start();
    await world.admin('POST', '/prices', { freeze: true });
    await world.admin('POST', '/prices', { token: 'SOL', usd: 150 });
    await world.admin('POST', '/prices', { token: 'USDC', usd: 1 });
    v2 = new Integrator(world);
    ultra = new Integrator(world, '/ultra/v1');
  });

  afterAll(() => world.stop());

  it.each(['/swap/v2', '/ultra/v1'] as const)('quotes without a taker on %s', async (base) => {
    const order = await new Integrator(world, base).quote({ ...SOL_TO_USDC, ...POOLS });
    expect(order).toMatchObject({
      mode: 'ultra',
      inputMint: SOL,
      outputMint: USDC,
      inAmount: 1_000_000_000n,
      swapMode: 'ExactIn',
      slippageBps: 50,
      router: 'metis',
      swapType: 'aggregator',
      transaction: null,
      taker: null,
      signatureFeePayer: null,
      gasless: false,
      feeBps: 2,
    });
    expect(Number(order.outAmount) / 150e6).toBeGreaterThan(0.98);
    expect(Number(order.outAmount) / 150e6).toBeLessThan(1);
    expect(order.otherAmountThreshold).toBe((order.outAmount * 9_950n) / 10_000n);
    expect(order.inUsdValue).toBe(150);
    expect(order.routePlan.map(({ bps }) => bps)).toEqual([10_000]);
    expect(order.lastValidBlockHeight).toBeUndefined();
  });

  it('takes the slippage that is asked for, its bounds included', async () => {
    for (const slippageBps of [0, 1, 10_000]) {
      const order = await v2.quote({ ...SOL_TO_USDC, ...POOLS, slippageBps });
      expect(order).toMatchObject({ mode: 'manual', slippageBps });
      expect(order.otherAmountThreshold).toBe((order.outAmount * BigInt(10_000 - slippageBps)) / 10_000n);
    }
    expect((await v2.ask({ ...SOL_TO_USDC, slippageBps: 10_001 })).status).toBe(400);
  });

  it('quotes every token against dollars and SOL, both ways', async () => {
    for (const mint of [SOL, USDT, JUP, BONK, WIF, RAY, ORCA]) {
      const bought = await v2.quote({ inputMint: USDC, outputMint: mint, amount: 100_000_000, ...POOLS });
      const sold = await v2.quote({ inputMint: mint, outputMint: USDC, amount: String(bought.outAmount), ...POOLS });
      expect(Number(sold.outAmount) / 100e6).toBeGreaterThan(0.97);
      expect(sold.outAmount).toBeLessThan(100_000_000n);
    }
    const cross = await v2.quote({ inputMint: JUP, outputMint: BONK, amount: 1_000_000, ...POOLS });
    expect(cross.routePlan.length).toBeGreaterThanOrEqual(2);
  });

  it('splits a large order over three venues, and moves the price', async () => {
    const small = await v2.quote({ ...SOL_TO_USDC, ...POOLS });
    const large = await v2.quote({ ...SOL_TO_USDC, ...POOLS, amount: 10_000_000_000_000 });
    expect(new Set(large.routePlan.map(({ swapInfo }) => swapInfo.label)).size).toBe(3);
    expect(large.routePlan.reduce((sum, { bps }) => sum + bps, 0)).toBe(10_000);
    expect(large.priceImpact!).toBeLessThan(small.priceImpact!);
    expect(Number(large.priceImpactPct) * 100).toBeCloseTo(large.priceImpact!, 10);
  });

  it('leaves out the venues that are named', async () => {
    const { routePlan } = await v2.quote({ ...SOL_TO_USDC, ...POOLS });
    const { label } = routePlan[0]!.swapInfo;
    const other = await v2.quote({ ...SOL_TO_USDC, ...POOLS, excludeDexes: `${label},Nobody` });
    expect(other.routePlan.map(({ swapInfo }) => swapInfo.label)).not.toContain(label);
  });

  it('asks the market maker, and takes who gives more', async () => {
    const maker = await v2.quote({ ...SOL_TO_USDC, ...MAKER });
    const pools = await v2.quote({ ...SOL_TO_USDC, ...POOLS });
    expect(maker).toMatchObject({ router: 'jupiterz', swapType: 'rfq', slippageBps: 0, maker: expect.any(String) });
    expect(maker.otherAmountThreshold).toBe(maker.outAmount);
    expect(maker.quoteId).toBeDefined();
    // Its price moves a little with time.
    const best = await v2.quote(SOL_TO_USDC);
    expect(best.router).toBe(maker.outAmount > pools.outAmount ? 'jupiterz' : 'metis');
    expect(best.outAmount).toBeGreaterThanOrEqual(pools.outAmount);
  });

  it('has no route when all who could have one are left out', async () => {
    const response = await v2.ask({ ...SOL_TO_USDC, excludeRouters: 'metis,jupiterz,dflow,okx' });
    expect(response.status).toBe(400);
    const body = errorResponse.parse(await response.json());
    expect(body).toEqual({ error: 'Failed to get quotes', requestId: expect.any(String) });
    const older = await ultra.ask({ ...SOL_TO_USDC, outputMint: Keypair.generate().publicKey.toBase58() });
    expect(await older.json()).toEqual({ error: 'Failed to get quotes' });
  });

  it.each([
    [{ inputMint: 'nonsense' }, 'inputMint'],
    [{ outputMint: '' }, 'outputMint'],
    [{ outputMint: SOL }, 'differ'],
    [{ amount: 0 }, 'amount'],
    [{ amount: '1.5' }, 'amount'],
    [{ amount: '18446744073709551616' }, 'amount'],
    [{ taker: 'me' }, 'taker'],
    [{ slippageBps: 'auto' }, 'slippageBps'],
    [{ swapMode: 'ExactOut' }, 'swapMode'],
    [{ excludeRouters: 'mars' }, 'mars'],
    [{ payer: 'me' }, 'payer'],
    [{ closeAuthority: USDC }, 'closeAuthority is not supported'],
    [{ receiver: USDC }, 'receiver is not supported'],
    [{ priorityFeeLamports: 100_000_001 }, 'priorityFeeLamports'],
  ])('refuses %j', async (wrong, reason) => {
    const response = await v2.ask({ ...SOL_TO_USDC, ...wrong });
    expect(response.status).toBe(400);
    expect(errorResponse.parse(await response.json()).error).toContain(reason);
  });

  it('answers no transaction to a wallet that lacks the input or the SOL for fees', async () => {
    const poor = Keypair.generate().publicKey.toBase58();
    const funded = await world.funded(['SOL', 0.001], ['USDC', 10]);
    const rich = await world.funded(['SOL', 1], ['USDC', 10]);
    const usdc = { inputMint: USDC, outputMint: JUP, amount: 10_000_000 };
    const ask = (taker: string, more: object) => v2.quote({ ...usdc, taker, ...more });
    expect(await ask(poor, POOLS)).toMatchObject({ transaction: '', errorCode: 1, errorMessage: 'Insufficient funds' });
    expect(await ask(poor, MAKER)).toMatchObject({ transaction: '', errorCode: 1 });
    const [one, other] = [funded, rich].map(({ publicKey }) => publicKey.toBase58()) as [string, string];
    expect(await ask(one, POOLS)).toMatchObject({ transaction: '', errorCode: 2 });
    expect(await ask(one, MAKER)).toMatchObject({ transaction: '', errorCode: 2 });
    expect((await ask(other, POOLS)).transaction).toMatch(/^[A-Za-z0-9+/]+=*$/);
    expect(await ask(other, { ...POOLS, amount: 10_000_001 })).toMatchObject({ transaction: '', errorCode: 1 });
  });

  it('has another payer sign and pay for a route over pools, and the taker return the rent of wrapped SOL', async () => {
    const [taker, payer] = await Promise.all([world.funded(['USDC', 10]), world.funded(['SOL', 1])]);
    const [wallet, sponsor] = [taker, payer].map(({ publicKey }) => publicKey.toBase58()) as [string, string];
    const buy = { inputMint: USDC, outputMint: SOL, amount: 10_000_000, taker: wallet, payer: sponsor };
    const order = await v2.quote(buy);
    expect(order).toMatchObject({ router: 'metis', gasless: true, signatureFeePayer: sponsor, rentFeePayer: sponsor });
    const { message } = VersionedTransaction.deserialize(Buffer.from(order.transaction!, 'base64'));
    const signers = message.staticAccountKeys.slice(0, message.header.numRequiredSignatures);
    expect(signers.map((key) => key.toBase58())).toEqual([sponsor, wallet]);
    const poor = Keypair.generate().publicKey.toBase58();
    expect(await v2.quote({ ...buy, payer: poor })).toMatchObject({ transaction: '', errorCode: 2 });
    expect(await v2.quote({ ...buy, payer: wallet, ...POOLS })).toMatchObject({ transaction: '', errorCode: 2 });
  });

  it('says who pays for what, within bounds', async () => {
    const wallet = await world.funded(['SOL', 5], ['USDC', 100]);
    const taker = wallet.publicKey.toBase58();
    const pools = await v2.quote({ ...SOL_TO_USDC, ...POOLS, taker });
    expect(pools).toMatchObject({ signatureFeeLamports: 5_000, signatureFeePayer: taker, rentFeeLamports: 0 });
    expect(pools.prioritizationFeeLamports).toBeGreaterThan(0);
    expect(pools.prioritizationFeeLamports).toBeLessThanOrEqual(50_000);
    expect(pools.lastValidBlockHeight).toBeGreaterThan(0n);
    const asked = {
      ...SOL_TO_USDC,
      ...POOLS,
      taker,
      outputMint: JUP,
      priorityFeeLamports: 7_000,
      jitoTipLamports: 1_000,
    };
    const own = await v2.quote(asked);
    expect(own.rentFeeLamports).toBe(2_039_280);
    expect(own.prioritizationFeeLamports).toBeGreaterThan(7_990);
    expect(own.prioritizationFeeLamports).toBeLessThanOrEqual(8_001);
    const maker = await v2.quote({ ...SOL_TO_USDC, ...MAKER, taker });
    expect(maker).toMatchObject({ gasless: true, signatureFeePayer: maker.maker, rentFeePayer: taker });
  });

  it('lists its routers', async () => {
    const response = await fetch(`${world.sandbox.aggregatorUrl}/ultra/v1/order/routers`);
    const routers = (await response.json()) as Array<{ id: string }>;
    expect(routers.map(({ id }) => id)).toEqual(['metis', 'jupiterz']);
  });
});
