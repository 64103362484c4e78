import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createApproveInstruction,
  getAssociatedTokenAddressSync,
  getMint,
  getPausableConfig,
  getPermanentDelegate,
  getTransferHook,
  getNonTransferable,
  getDefaultAccountState,
  TOKEN_2022_PROGRAM_ID,
} from '@solana/spl-token';
import { Keypair, PublicKey } from '@solana/web3.js';
import { signed, transfer } from './transactions.js';
import { USDC, World } from './world.js';

describe('the admin API', () => {
  let world: World;
  const address = (): string => Keypair.generate().publicKey.toBase58();

  beforeAll(async () => {
    world = await World.start();
  });

  afterAll(() => world.stop());

  it('says when it is ready', async () => {
    expect(await world.admin('GET', '/health')).toEqual({ status: 200, body: { ready: true } });
  });

  it.each(['SOL', 'USDC', 'USDT', 'JUP', 'BONK', 'WIF', 'RAY', 'ORCA'])(
    'pours %s by an ordinary transaction',
    async (token) => {
      const to = address();
      const poured = await world.admin('POST', '/faucet', { address: to, token, amount: 1.25 });
      expect(poured.status).toBe(200);
      const { body } = await world.admin('GET', `/chain/balance?address=${to}&token=${token}`);
      expect(body).toMatchObject({ amount: 1.25 });
      const { body: history } = await world.admin('GET', `/chain/transactions?address=${to}`);
      expect(history['transactions']).toMatchObject([{ signature: poured.body['signature'], err: null }]);
      expect(
        await world.connection.getTransaction(poured.body['signature']!, { maxSupportedTransactionVersion: 0 }),
      ).not.toBeNull();
    },
  );

  it('pours by mint, exact amounts as text, and to many at once', async () => {
    const [one, two] = [address(), address()];
    const order = { addresses: [one, two], token: USDC.toBase58(), amount: '0.000001' };
    expect((await world.admin('POST', '/faucet', order)).body['signatures']).toHaveLength(2);
    expect(await world.raw(new PublicKey(two), 'USDC')).toBe(1n);
    await world.admin('POST', '/faucet', {
      address: one,
      token: 'So11111111111111111111111111111111111111112',
      amount: 2,
    });
    expect(await world.raw(new PublicKey(one), 'SOL')).toBe(0n);
    expect(await world.raw(new PublicKey(one), 'So11111111111111111111111111111111111111112')).toBe(2_000_000_000n);
  });

  it('pours the same amount to the same wallet twice', async () => {
    const to = address();
    const order = { address: to, token: 'SOL', amount: 1 };
    const replies = await Promise.all([world.admin('POST', '/faucet', order), world.admin('POST', '/faucet', order)]);
    expect(new Set(replies.map((r) => r.body['signature'])).size).toBe(2);
    expect(await world.raw(new PublicKey(to), 'SOL')).toBe(2_000_000_000n);
  });

  it.each([
    [{ address: 'nobody', token: 'SOL', amount: 1 }, 'address'],
    [{ token: 'SOL', amount: 1 }, 'address'],
    [{ address: USDC.toBase58(), token: 'GOLD', amount: 1 }, 'unknown token: GOLD'],
    [{ address: USDC.toBase58(), token: 'SOL', amount: 0 }, 'amount'],
    [{ address: USDC.toBase58(), token: 'SOL', amount: -1 }, 'amount'],
    [{ address: USDC.toBase58(), token: 'USDC', amount: 0.0000001 }, 'decimals'],
    [{ address: USDC.toBase58(), token: 'USDC', amount: 'much' }, 'amount'],
    [{ address: USDC.toBase58(), token: 'SOL', amount: 1, please: true }, 'please'],
  ])('refuses to pour %j', async (order, reason) => {
    const { status, body } = await world.admin('POST', '/faucet', order);
    expect(status).toBe(400);
    expect(body['error']).toContain(reason);
  });

  it('says when the chain refused the money', async () => {
    const { status, body } = await world.admin('POST', '/faucet', {
      address: address(),
      token: 'SOL',
      amount: '0.000000001',
    });
    expect(status).toBe(422);
    expect(body['error']).toContain('InsufficientFundsForRent');
  });

  it('lists transactions in which only a token account of the address takes part', async () => {
    const alice = await world.funded(['SOL', 1], ['USDC', 5]);
    const before = (await world.admin('GET', `/chain/transactions?address=${alice.publicKey.toBase58()}`)).body[
      'transactions'
    ]! as unknown[];
    await world.admin('POST', '/faucet', { address: alice.publicKey.toBase58(), token: 'USDC', amount: 1 });
    const account = getAssociatedTokenAddressSync(USDC, alice.publicKey).toBase58();
    const bob = await world.funded(['SOL', 1]);
    await world.connection.sendTransaction(await signed(world, bob, transfer(bob, new PublicKey(account), 1_000_000)));
    const after = (await world.admin('GET', `/chain/transactions?address=${alice.publicKey.toBase58()}`)).body[
      'transactions'
    ]! as unknown[];
    expect(after.length - before.length).toBe(2);
    expect(after[0]).toEqual({
      signature: expect.any(String),
      slot: expect.any(Number),
      err: null,
      blockTime: expect.any(Number),
    });
  });

  it('lists an owner’s token accounts with what others may do to them', async () => {
    const alice = await world.funded(['SOL', 1], ['USDC', 5], ['BONK', 7]);
    const account = getAssociatedTokenAddressSync(USDC, alice.publicKey);
    const delegate = Keypair.generate().publicKey;
    await world.connection.sendTransaction(
      await signed(world, alice, createApproveInstruction(account, delegate, alice.publicKey, 1)),
    );
    const { body } = await world.admin('GET', `/chain/accounts?owner=${alice.publicKey.toBase58()}`);
    const accounts = body['accounts']! as Array<{ address: string }>;
    expect(accounts).toHaveLength(2);
    expect(accounts.find((a) => a.address === account.toBase58())).toEqual({
      address: account.toBase58(),
      mint: USDC.toBase58(),
      amount: 5,
      raw: '5000000',
      owner: alice.publicKey.toBase58(),
      delegate: delegate.toBase58(),
      closeAuthority: null,
      program: 'token',
      state: 'initialized',
    });
  });

  it('moves the clock on, with the slots of that time', async () => {
    const [slot, time] = [await world.connection.getSlot(), Date.now() / 1000];
    const { status, body } = await world.admin('POST', '/clock', { advanceSeconds: 3_600 });
    expect(status).toBe(200);
    expect(body['slot']! - slot).toBeGreaterThanOrEqual(9_000);
    expect(await world.connection.getBlockTime(await world.connection.getSlot())).toBeGreaterThanOrEqual(
      Math.floor(time) + 3_600,
    );
    for (const advanceSeconds of [0, -1, '5', null]) {
      expect((await world.admin('POST', '/clock', { advanceSeconds })).status).toBe(400);
    }
  });

  it('makes tokens with every extension, which are really on the chain', async () => {
    const make = async (symbol: string, extensions: string[]): Promise<Awaited<ReturnType<typeof getMint>>> => {
      const order = { symbol, decimals: 4, program: 'token-2022', extensions, usd: 2 };
      const { status, body } = await world.admin('POST', '/mints', order);
      if (status !== 200) throw new Error(JSON.stringify(body));
      const wallet = await world.funded(['SOL', 1], [symbol, 3]);
      expect(await world.raw(wallet.publicKey, symbol)).toBe(30_000n);
      return getMint(world.connection, new PublicKey(body['mint']!), 'confirmed', TOKEN_2022_PROGRAM_ID);
    };
    expect(getTransferHook(await make('HOOK', ['transferHook']))).not.toBeNull();
    expect(getPermanentDelegate(await make('PERM', ['permanentDelegate']))).not.toBeNull();
    expect(getPausableConfig(await make('PAUSE', ['pausable']))).toMatchObject({ paused: false });
    expect(getNonTransferable(await make('NONT', ['nonTransferable']))).not.toBeNull();
    const frozen = await make('FROZEN', ['defaultFrozen']);
    expect(getDefaultAccountState(frozen)).toEqual({ state: 2 });
    expect(frozen.freezeAuthority).not.toBeNull();
    expect(getPermanentDelegate(await make('MANY', ['permanentDelegate', 'pausable', 'defaultFrozen']))).not.toBeNull();
  });

  it('pours what arrives, fee or not', async () => {
    await world.admin('POST', '/mints', { symbol: 'TAXED', decimals: 6, program: 'token-2022', transferFeeBps: 250 });
    const wallet = await world.funded(['TAXED', 1.000001]);
    expect(await world.raw(wallet.publicKey, 'TAXED')).toBe(1_000_001n);
  });

  it('makes plain tokens, with a freeze authority where one is asked for', async () => {
    const freezer = address();
    const { body } = await world.admin('POST', '/mints', {
      symbol: 'PLAIN',
      decimals: 0,
      program: 'token',
      freezeAuthority: freezer,
    });
    const mint = await getMint(world.connection, new PublicKey(body['mint']!));
    expect(mint).toMatchObject({ decimals: 0, freezeAuthority: new PublicKey(freezer) });
  });

  it.each([
    [{ symbol: 'USDC', decimals: 6, program: 'token' }, 409, 'already'],
    [{ symbol: 'A B', decimals: 6, program: 'token' }, 400, 'symbol'],
    [{ symbol: 'X', decimals: 19, program: 'token' }, 400, 'decimals'],
    [{ symbol: 'X', decimals: 6, program: 'cw20' }, 400, 'program'],
    [{ symbol: 'X', decimals: 6, program: 'token', transferFeeBps: 1 }, 400, 'token-2022'],
    [{ symbol: 'X', decimals: 6, program: 'token-2022', extensions: ['magic'] }, 400, 'extensions'],
    [{ symbol: 'X', decimals: 6, program: 'token-2022', transferFeeBps: 10_001 }, 400, 'transferFeeBps'],
    [{ symbol: 'X', decimals: 6, program: 'token', freezeAuthority: 'me' }, 400, 'freezeAuthority'],
  ])('refuses to make %j', async (order, expected, reason) => {
    const { status, body } = await world.admin('POST', '/mints', order);
    expect(status).toBe(expected);
    expect(body['error']).toContain(reason);
  });

  it('answers unknown paths, other methods and bodies that are no JSON with an error', async () => {
    expect(await world.admin('GET', '/nowhere')).toEqual({ status: 404, body: { error: 'no such path' } });
    expect((await world.admin('DELETE', '/faucet')).status).toBe(405);
    const response = await fetch(`${world.sandbox.adminUrl}/faucet`, { method: 'POST', body: '{' });
    expect([response.status, await response.json()]).toEqual([400, { error: 'the body is not JSON' }]);
    expect((await world.admin('GET', '/chain/balance?address=x&token=SOL')).status).toBe(400);
    expect((await world.admin('GET', `/chain/balance?address=${address()}`)).status).toBe(400);
  });
});
