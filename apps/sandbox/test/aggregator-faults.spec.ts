import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { errorResponse } from '@agent-wallet/jupiter';
import { type Keypair } from '@solana/web3.js';
import { decode, Integrator, JUP, MAKER, POOLS, signedBody, SOL, USDC } from './aggregator-client.js';
import { sendBlindly, statusOf } from './transactions.js';
import { World } from './world.js';

const TRADE = { inputMint: USDC, outputMint: JUP, amount: 10_000_000, slippageBps: 50 };

describe('faults of the aggregator', () => {
  let world: World;
  let wallet: Keypair;
  let v2: Integrator;

  beforeAll(async () => {
    world = await World.start();
    await world.admin('POST', '/prices', { freeze: true });
    v2 = new Integrator(world);
  });

  beforeEach(async () => {
    await world.admin('DELETE', '/faults');
    wallet = await world.funded(['SOL', 5], ['USDC', 1_000]);
  });

  afterAll(() => world.stop());

  const arm = (fault: string, more: Record<string, unknown> = {}) => world.arm(fault, more, 'aggregator');
  const usdc = () => world.raw(wallet.publicKey, 'USDC');
  const address = () => wallet.publicKey.toBase58();

  it('refuses orders and executions with 429 and says when to come back', async () => {
    await arm('error429', { times: 2, delayMs: 3_000 });
    const before = Date.now() / 1000;
    for (const response of [await v2.ask(TRADE), await v2.send({})]) {
      expect(response.status).toBe(429);
      const reset = Number(response.headers.get('x-ratelimit-reset'));
      expect(reset).toBeGreaterThan(before + 2);
      expect(reset).toBeLessThan(Date.now() / 1000 + 5);
      expect(response.headers.get('x-ratelimit-remaining')).toBe('0');
      expect(await response.json()).toMatchObject({ message: '[API Gateway] Too many requests' });
    }
    expect((await v2.ask(TRADE)).status).toBe(200);
  });

  it('fails with 500, only for the path and the wallet that are named', async () => {
    const other = await world.funded(['SOL', 1], ['USDC', 10]);
    await arm('error500', { match: { path: '/swap/v2/execute', address: address() } });
    const theirs = await v2.order(other.publicKey, { ...TRADE, ...POOLS });
    expect((await v2.send(signedBody(theirs, other))).status).toBe(200);
    const order = await v2.order(wallet.publicKey, { ...TRADE, ...POOLS });
    const body = signedBody(order, wallet);
    const failed = await v2.send(body);
    expect(failed.status).toBe(500);
    expect(errorResponse.parse(await failed.json()).error).toBe('Internal server error');
    expect(await usdc()).toBe(1_000_000_000n);
    expect(await v2.execute(body)).toMatchObject({ code: 0 });
  });

  it('find no route when noRoute is armed', async () => {
    await arm('noRoute');
    const response = await v2.ask({ ...TRADE, taker: address() });
    expect([response.status, await response.json()]).toMatchObject([400, { error: 'Failed to get quotes' }]);
    expect((await v2.ask(TRADE)).status).toBe(200);
  });

  it.each([POOLS, MAKER])('lands and never answers, and answers when asked again: %j', async (routers) => {
    await arm('timeoutAfterLanding', { delayMs: 20 });
    const order = await v2.order(wallet.publicKey, { ...TRADE, ...routers });
    const body = signedBody(order, wallet);
    await expect(v2.send(body)).rejects.toThrow('fetch failed');
    expect(await usdc()).toBe(990_000_000n);
    const answer = await v2.execute(body);
    expect(answer).toMatchObject({ code: 0, totalInputAmount: 10_000_000n });
    expect((await statusOf(world, answer.signature!))!.err).toBeNull();
    expect(await usdc()).toBe(990_000_000n);
  });

  it.each([
    [POOLS, -1000],
    [MAKER, -2000],
  ])('never lands what it says has failed to land: %j', async (routers, code) => {
    await arm('failedToLand');
    const order = await v2.order(wallet.publicKey, { ...TRADE, ...routers });
    const body = signedBody(order, wallet);
    const answer = await v2.execute(body);
    expect(answer).toMatchObject({ status: 'Failed', code, slot: 0n });
    expect(await v2.execute(body)).toEqual(answer);
    await sendBlindly(world, decode(body['signedTransaction']!)).catch(() => undefined);
    expect(await usdc()).toBe(1_000_000_000n);
  });

  it.each([50, 0, 4_999])('moves the price past %i bps once the wallet has signed, and back', async (slippageBps) => {
    await arm('slippage');
    const lamports = await world.raw(wallet.publicKey, 'SOL');
    const order = await v2.order(wallet.publicKey, { ...TRADE, ...POOLS, slippageBps });
    const onPaper = await world.connection.simulateTransaction(decode(order.transaction), { commitment: 'confirmed' });
    expect(onPaper.value.err).toBeNull();
    const answer = await v2.execute(signedBody(order, wallet));
    expect(answer).toMatchObject({ status: 'Failed', code: 6001, error: 'Slippage tolerance exceeded' });
    expect(await statusOf(world, answer.signature!)).toMatchObject({
      err: { InstructionError: [3, { Custom: 6001 }] },
    });
    expect(await usdc()).toBe(1_000_000_000n);
    const fee = BigInt(order.signatureFeeLamports + order.prioritizationFeeLamports);
    expect(lamports - (await world.raw(wallet.publicKey, 'SOL'))).toBe(fee);
    const later = await v2.quote({ ...TRADE, ...POOLS, slippageBps });
    expect(Number(later.outAmount) / Number(order.outAmount)).toBeCloseTo(1, 3);
  });

  it('move the price before any signature when the fault names the order’s path', async () => {
    await arm('slippage', { match: { path: '/swap/v2/order' } });
    const order = await v2.order(wallet.publicKey, { ...TRADE, ...POOLS });
    const onPaper = await world.connection.simulateTransaction(decode(order.transaction), { commitment: 'confirmed' });
    expect(onPaper.value.err).toEqual({ InstructionError: [3, { Custom: 6001 }] });
    await world.admin('POST', '/prices', { token: 'JUP', usd: 0.5 });
  });

  it('make a market maker’s order fail its final check', async () => {
    await arm('slippage');
    const order = await v2.order(wallet.publicKey, { ...TRADE, ...MAKER });
    const body = signedBody(order, wallet);
    const answer = await v2.execute(body);
    expect(answer).toMatchObject({ status: 'Failed', code: 6001, slot: 0n });
    expect(await v2.execute(body)).toEqual(answer);
    expect(await usdc()).toBe(1_000_000_000n);
  });

  it.each([
    [{ fault: 'maliciousTransaction' }, 'match.kind'],
    [{ fault: 'maliciousTransaction', match: { kind: 'nice' } }, 'kind'],
    [{ fault: 'noRoute', match: { kind: 'setAuthority' } }, 'match.kind'],
    [{ fault: 'drop' }, 'aggregator knows'],
  ])('refuses to arm %j', async (order, reason) => {
    const { status, body } = await world.admin('POST', '/faults', { part: 'aggregator', ...order });
    expect([status, body['error']]).toEqual([400, expect.stringContaining(reason)]);
  });

  it('knows an API key by its form, and counts calls by key', async () => {
    const ask = (key: string) =>
      fetch(`${world.sandbox.aggregatorUrl}/swap/v2/order?inputMint=${SOL}&outputMint=${USDC}&amount=1000000`, {
        headers: { 'x-api-key': key },
      });
    const current = (response: Response) => Number(response.headers.get('x-ratelimit-current'));
    expect(current(await ask('one'))).toBe(1);
    expect(current(await ask('one'))).toBe(2);
    expect(current(await ask('two'))).toBe(1);
    const refused = await ask('no key');
    expect(refused.status).toBe(401);
    expect(refused.headers.get('x-api-gateway-request-id')).not.toBeNull();
    expect(refused.headers.get('x-ratelimit-current')).toBeNull();
  });
});

describe('faults of an aggregator on a chain with slots', () => {
  it('moves the price past the tolerance though pools follow a walking price', async () => {
    const world = await World.start({ SANDBOX_SLOT_MS: '100', SANDBOX_FINALIZE_SLOTS: '2' });
    const wallet = await world.funded(['SOL', 5], ['USDC', 1_000]);
    const v2 = new Integrator(world);
    await world.arm('slippage', {}, 'aggregator');
    expect(await v2.trade(wallet, { ...TRADE, ...POOLS })).toMatchObject({ status: 'Failed', code: 6001 });
    expect(await v2.trade(wallet, { ...TRADE, ...POOLS })).toMatchObject({ status: 'Success', code: 0 });
    await world.stop();
  });
});
