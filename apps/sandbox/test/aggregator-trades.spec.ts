import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { errorResponse, readRoute, resolveLookups } from '@agent-wallet/jupiter';
import { createAssociatedTokenAccountIdempotentInstruction, getAssociatedTokenAddressSync } from '@solana/spl-token';
import { type Keypair, PublicKey, VersionedTransaction } from '@solana/web3.js';
import {
  BONK,
  decode,
  Integrator,
  JUP,
  MAKER,
  POOLS,
  signedBody,
  signedBy,
  SOL,
  USDC,
  USDT,
} from './aggregator-client.js';
import { sendBlindly, signed, transfer } from './transactions.js';
import { World } from './world.js';

const BASES = ['/swap/v2', '/ultra/v1'] as const;

const usdcTo = (outputMint: string) => ({ inputMint: USDC, outputMint, amount: 10_000_000 });

describe('trades over the aggregator', () => {
  let world: World;
  let wallet: Keypair;
  let v2: Integrator;

  beforeAll(async () => {
    world = await World.start();
    await world.admin('POST', '/prices', { freeze: true });
    v2 = new Integrator(world);
  });

  beforeEach(async () => {
    wallet = await world.funded(['SOL', 5], ['USDC', 1_000]);
  });

  afterAll(() => world.stop());

  const held = (token: string) => world.raw(wallet.publicKey, token);

  it.each(BASES)('trades token for token on %s', async (base) => {
    const lamports = await held('SOL');
    const trade = await new Integrator(world, base).trade(wallet, { ...usdcTo(JUP), ...POOLS, slippageBps: 50 });
    expect(trade).toMatchObject({ status: 'Success', code: 0, totalInputAmount: 10_000_000n });
    expect(trade.totalOutputAmount).toBe(trade.order.outAmount);
    expect(trade.swapEvents).toHaveLength(1);
    expect(await held(JUP)).toBe(trade.totalOutputAmount);
    expect(await held('USDC')).toBe(990_000_000n);
    const { signatureFeeLamports, prioritizationFeeLamports, rentFeeLamports } = trade.order;
    expect(lamports - (await held('SOL'))).toBe(
      BigInt(signatureFeeLamports + prioritizationFeeLamports + rentFeeLamports),
    );
    const landed = await world.connection.getTransaction(trade.signature!, { maxSupportedTransactionVersion: 0 });
    expect(landed!.meta!.err).toBeNull();
    expect(BigInt(landed!.slot)).toBe(trade.slot);
  });

  it('takes native SOL and leaves nothing wrapped', async () => {
    const lamports = await held('SOL');
    const trade = await v2.trade(wallet, { inputMint: SOL, outputMint: USDC, amount: 1_000_000_000, ...POOLS });
    expect(trade).toMatchObject({ code: 0, totalInputAmount: 1_000_000_000n });
    expect(await held('USDC')).toBe(1_000_000_000n + trade.totalOutputAmount!);
    const { signatureFeeLamports, prioritizationFeeLamports } = trade.order;
    expect(lamports - (await held('SOL'))).toBe(
      1_000_000_000n + BigInt(signatureFeeLamports + prioritizationFeeLamports),
    );
    expect(await held(SOL)).toBe(0n);
  });

  it('pays native SOL out and leaves nothing wrapped', async () => {
    const lamports = await held('SOL');
    const trade = await v2.trade(wallet, { ...usdcTo(SOL), ...POOLS, jitoTipLamports: 2_000 });
    expect(trade).toMatchObject({ code: 0, totalInputAmount: 10_000_000n, totalOutputAmount: trade.order.outAmount });
    const { signatureFeeLamports, prioritizationFeeLamports } = trade.order;
    expect((await held('SOL')) - lamports).toBe(
      trade.totalOutputAmount! - BigInt(signatureFeeLamports + prioritizationFeeLamports),
    );
    expect(
      await world.connection.getTokenAccountsByOwner(wallet.publicKey, { mint: new PublicKey(SOL) }),
    ).toMatchObject({
      value: [],
    });
  });

  it('unwraps with it what was wrapped before', async () => {
    await world.admin('POST', '/faucet', { address: wallet.publicKey.toBase58(), token: SOL, amount: 0.5 });
    const lamports = await held('SOL');
    const trade = await v2.trade(wallet, { inputMint: SOL, outputMint: USDC, amount: 1_000_000_000, ...POOLS });
    expect(trade.totalInputAmount).toBe(1_000_000_000n);
    expect(await held(SOL)).toBe(0n);
    expect(await held('SOL')).toBeGreaterThan(lamports - 600_000_000n);
  });

  it('goes over a third token, and over three venues with lookup tables', async () => {
    await v2.trade(wallet, { ...usdcTo(JUP), ...POOLS });
    const cross = await v2.trade(wallet, { inputMint: JUP, outputMint: BONK, amount: 5_000_000, ...POOLS });
    expect(cross).toMatchObject({ code: 0, totalInputAmount: 5_000_000n });
    expect(cross.totalOutputAmount).toBe(cross.order.outAmount);
    await world.admin('POST', '/faucet', { address: wallet.publicKey.toBase58(), token: 'USDC', amount: 3_000_000 });
    const large = { inputMint: USDC, outputMint: BONK, amount: 2_000_000_000_000, slippageBps: 100, ...POOLS };
    const split = await v2.trade(wallet, large);
    expect(split.order.routePlan.length).toBeGreaterThanOrEqual(3);
    expect(split).toMatchObject({ code: 0, totalInputAmount: 2_000_000_000_000n });
    expect(split.totalOutputAmount).toBe(split.order.outAmount);
  });

  it('gives a transaction that says what the order says, its tables on the chain', async () => {
    await world.admin('POST', '/faucet', { address: wallet.publicKey.toBase58(), token: 'USDC', amount: 3_000_000 });
    const order = await v2.order(wallet.publicKey, {
      inputMint: USDC,
      outputMint: SOL,
      amount: 2_000_000_000_000,
      slippageBps: 75,
      ...POOLS,
    });
    const { message } = decode(order.transaction);
    expect(message.version).toBe(0);
    expect(message.header.numRequiredSignatures).toBe(1);
    expect(message.staticAccountKeys[0]).toEqual(wallet.publicKey);
    const tables = new Map<string, Uint8Array>();
    for (const { accountKey } of message.addressTableLookups) {
      const account = await world.connection.getAccountInfo(accountKey);
      tables.set(accountKey.toBase58(), account!.data);
    }
    const bytes = Buffer.from(message.serialize());
    expect(readRoute(bytes, resolveLookups(bytes, tables))).toMatchObject({
      inputMint: USDC,
      outputMint: SOL,
      inputAmount: 2_000_000_000_000n,
      quotedOutputAmount: order.outAmount,
      slippageBps: 75,
      platformFeeBps: order.feeBps,
      positiveSlippageBps: 0,
      networkLamports: BigInt(order.signatureFeeLamports + order.prioritizationFeeLamports),
      cosigner: undefined,
    });
  });

  it.each([
    ['token for token', { inputMint: USDC, outputMint: USDT, amount: 10_000_000 }],
    ['native SOL in', { inputMint: SOL, outputMint: USDC, amount: 1_000_000_000 }],
    ['native SOL out', { inputMint: USDC, outputMint: SOL, amount: 10_000_000 }],
  ])('trades with the market maker, who pays the network: %s', async (_, query) => {
    const [lamports, usdc] = [await held('SOL'), await held('USDC')];
    const order = await v2.order(wallet.publicKey, { ...query, ...MAKER, slippageBps: 50 });
    const { message } = decode(order.transaction);
    expect(message.staticAccountKeys.slice(0, 2).map((key) => key.toBase58())).toEqual([
      order.maker,
      wallet.publicKey.toBase58(),
    ]);
    const trade = await v2.execute(signedBody(order, wallet));
    expect(trade).toMatchObject({ status: 'Success', code: 0, totalInputAmount: BigInt(query.amount) });
    expect(trade.totalOutputAmount).toBe(order.outAmount);
    const delta = (await held('SOL')) - lamports + BigInt(order.rentFeeLamports);
    expect(delta).toBe(query.inputMint === SOL ? -1_000_000_000n : query.outputMint === SOL ? order.outAmount : 0n);
    const usdcDelta = (await held('USDC')) - usdc;
    expect(usdcDelta).toBe(query.inputMint === SOL ? order.outAmount : -10_000_000n);
  });

  it.each([POOLS, MAKER])('answers the same to the same body, and executes once: %j', async (routers) => {
    const order = await v2.order(wallet.publicKey, { ...usdcTo(JUP), ...routers });
    const body = { ...signedBody(order, wallet), lastValidBlockHeight: String(order.lastValidBlockHeight ?? 1n) };
    const [one, two] = await Promise.all([v2.execute(body), v2.execute(body)]);
    expect(one.code).toBe(0);
    expect(two).toEqual(one);
    expect(await new Integrator(world, '/ultra/v1').execute(body)).toEqual(one);
    expect(await held('USDC')).toBe(990_000_000n);
  });

  it('finds out about a transaction that its taker sent alone', async () => {
    const order = await v2.order(wallet.publicKey, { ...usdcTo(JUP), ...POOLS });
    const body = signedBody(order, wallet);
    const sent = await sendBlindly(world, decode(body['signedTransaction']!));
    expect(await v2.execute(body)).toMatchObject({ code: 0, signature: sent, totalInputAmount: 10_000_000n });
  });

  it('gives like orders different transactions', async () => {
    const [one, two] = [await v2.order(wallet.publicKey, usdcTo(JUP)), await v2.order(wallet.publicKey, usdcTo(JUP))];
    expect(one.requestId).not.toBe(two.requestId);
    expect(one.transaction).not.toBe(two.transaction);
  });

  it('refuses what was not ordered or not signed', async () => {
    const order = await v2.order(wallet.publicKey, { ...usdcTo(JUP), ...POOLS });
    const other = await v2.order(wallet.publicKey, { ...usdcTo(BONK), ...POOLS });
    const body = signedBody(order, wallet);
    const unsigned = order.transaction;
    const forged = decode(order.transaction);
    forged.signatures[0] = forged.signatures[0]!.fill(7);
    const wrong: Array<[number, Record<string, unknown>]> = [
      [-1, { ...body, requestId: 'unknown' }],
      [-2, { ...body, signedTransaction: unsigned }],
      [-2, { ...body, signedTransaction: Buffer.from(forged.serialize()).toString('base64') }],
      [-2, { ...body, signedTransaction: 'AAAA' }],
      [-2, { ...body, signedTransaction: '*' }],
      [-3, { ...body, requestId: other.requestId }],
      [-4, { signedTransaction: body['signedTransaction'] }],
      [-4, { ...body, requestId: 7 }],
      [-5, { requestId: order.requestId }],
    ];
    for (const [code, sent] of wrong) {
      const response = await v2.send(sent);
      expect([response.status, errorResponse.parse(await response.json()).code]).toEqual([400, code]);
    }
    expect(await v2.execute({ ...body, lastValidBlockHeight: 'soon' })).toMatchObject({
      status: 'Failed',
      code: -1004,
    });
    expect(await held('USDC')).toBe(1_000_000_000n);
    expect(await v2.execute(body)).toMatchObject({ code: 0 });
  });

  it('refuses a transaction that was changed before it was signed', async () => {
    const order = await v2.order(wallet.publicKey, { ...usdcTo(JUP), ...POOLS });
    const { message } = decode(order.transaction);
    const swap = message.compiledInstructions.at(-1)!;
    swap.data = swap.data.with(24, 1);
    const changed = signedBy(new VersionedTransaction(message), wallet);
    const response = await v2.send({ requestId: order.requestId, signedTransaction: changed });
    expect(await response.json()).toMatchObject({ code: -3 });
  });

  it('forgets an order after two minutes, and an outcome two minutes after it was asked for', async () => {
    const order = await v2.order(wallet.publicKey, { ...usdcTo(JUP), ...POOLS });
    const executed = await v2.order(wallet.publicKey, { ...usdcTo(BONK), ...POOLS });
    const body = signedBody(executed, wallet);
    await world.admin('POST', '/clock', { advanceSeconds: 30 });
    const outcome = await v2.execute(body);
    await world.admin('POST', '/clock', { advanceSeconds: 85 });
    expect(await v2.execute(signedBody(order, wallet))).toMatchObject({ code: -1005, error: 'Transaction expired' });
    await world.admin('POST', '/clock', { advanceSeconds: 30 });
    expect(await v2.execute(body)).toEqual(outcome);
    await world.admin('POST', '/clock', { advanceSeconds: 10 });
    const response = await v2.send(body);
    expect([response.status, await response.json()]).toMatchObject([400, { code: -1 }]);
  });

  it('does not fill a market maker’s quote that has expired, or whose price has moved against it', async () => {
    const late = await v2.order(wallet.publicKey, { ...usdcTo(JUP), ...MAKER });
    await world.admin('POST', '/clock', { advanceSeconds: 62 });
    expect(await v2.execute(signedBody(late, wallet))).toMatchObject({ code: -2003, slot: 0n });
    const dear = await v2.order(wallet.publicKey, { ...usdcTo(JUP), ...MAKER });
    await world.admin('POST', '/prices', { token: 'JUP', usd: 0.6 });
    const looked = await v2.execute(signedBody(dear, wallet));
    expect(looked).toMatchObject({ status: 'Failed', code: 6001, error: 'Slippage tolerance exceeded', slot: 0n });
    await world.admin('POST', '/prices', { token: 'JUP', usd: 0.5 });
    expect(await v2.execute(signedBody(dear, wallet))).toEqual(looked);
    expect(await held('USDC')).toBe(1_000_000_000n);
  });

  it('lands and fails when the price goes past the tolerance between order and execution', async () => {
    const lamports = await held('SOL');
    const order = await v2.order(wallet.publicKey, { ...usdcTo(JUP), ...POOLS, slippageBps: 100 });
    await world.admin('POST', '/prices', { token: 'JUP', usd: 0.51 });
    const failed = await v2.execute(signedBody(order, wallet));
    expect(failed).toMatchObject({ status: 'Failed', code: 6001, error: 'Slippage tolerance exceeded' });
    expect(failed.slot).toBeGreaterThan(0n);
    await world.admin('POST', '/prices', { token: 'JUP', usd: 0.5 });
    expect(await held('USDC')).toBe(1_000_000_000n);
    expect(lamports - (await held('SOL'))).toBe(BigInt(order.signatureFeeLamports + order.prioritizationFeeLamports));
  });

  it('does not send what cannot pay its way any more', async () => {
    const poor = await world.funded(['SOL', 0.02], ['USDC', 10]);
    const order = await v2.order(poor.publicKey, { ...usdcTo(JUP), ...POOLS });
    const lamports = await world.connection.getBalance(poor.publicKey);
    await sendBlindly(world, await signed(world, poor, transfer(poor, wallet.publicKey, lamports - 5_000)));
    expect(await v2.execute(signedBody(order, poor))).toMatchObject({ status: 'Failed', code: -1000, slot: 0n });
  });

  it('trades a token of the second token program that takes a transfer fee', async () => {
    const made = { symbol: 'FEE', decimals: 6, program: 'token-2022', transferFeeBps: 100, usd: 2 };
    const { body } = await world.admin('POST', '/mints', made);
    const trade = await v2.trade(wallet, { ...usdcTo(body['mint']!), ...POOLS });
    expect(trade).toMatchObject({ code: 0 });
    expect(trade.totalOutputAmount).toBe(trade.order.outAmount);
    expect(await held(body['mint']!)).toBe(trade.order.outAmount);
    const back = { inputMint: body['mint']!, outputMint: SOL, amount: String(trade.order.outAmount), ...POOLS };
    expect(await v2.trade(wallet, back)).toMatchObject({ code: 0, totalInputAmount: trade.order.outAmount });
  });

  it('leaves out the account that is there already', async () => {
    const mint = new PublicKey(JUP);
    const account = getAssociatedTokenAddressSync(mint, wallet.publicKey);
    const create = createAssociatedTokenAccountIdempotentInstruction(wallet.publicKey, account, wallet.publicKey, mint);
    await sendBlindly(world, await signed(world, wallet, create));
    const order = await v2.order(wallet.publicKey, { ...usdcTo(JUP), ...POOLS });
    expect(order.rentFeeLamports).toBe(0);
    expect(decode(order.transaction).message.compiledInstructions).toHaveLength(3);
    expect(await v2.execute(signedBody(order, wallet))).toMatchObject({ code: 0 });
  });
});
