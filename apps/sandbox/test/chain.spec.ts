import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getAssociatedTokenAddressSync, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import type { PublicKey } from '@solana/web3.js';
import {
  AddressLookupTableProgram,
  ComputeBudgetProgram,
  Keypair,
  SendTransactionError,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { sendBlindly, signed, statusOf, transfer } from './transactions.js';
import { USDC, World } from './world.js';

/** Every transaction is final at once; clients see the real programs and a node’s own answers. */
describe('the chain, through the official client', () => {
  let world: World;
  let alice: Keypair;

  beforeAll(async () => {
    world = await World.start();
    alice = await world.funded(['SOL', 100], ['USDC', 1_000]);
  });

  afterAll(() => world.stop());

  const stranger = (): PublicKey => Keypair.generate().publicKey;

  it('moves lamports, charges exactly the fee it announced, and confirms over the WebSocket', async () => {
    const to = stranger();
    const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 123_457 });
    const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: 1_001 });
    const transaction = await signed(world, alice, price, limit, transfer(alice, to, 10_000_000));
    const fee = (await world.connection.getFeeForMessage(transaction.message)).value!;
    const before = await world.connection.getBalance(alice.publicKey);
    const signature = await world.connection.sendTransaction(transaction);
    const latest = await world.connection.getLatestBlockhash();
    const { value } = await world.connection.confirmTransaction({ signature, ...latest }, 'finalized');
    expect(value.err).toBeNull();
    expect(fee).toBe(5_000 + Math.ceil((123_457 * 1_001) / 1e6));
    expect(await world.connection.getBalance(alice.publicKey)).toBe(before - 10_000_000 - fee);
    const landed = await world.connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(landed!.meta).toMatchObject({ fee, err: null });
    expect(landed!.meta!.preBalances.slice(0, 2)).toEqual([before, 0]);
    expect(landed!.meta!.postBalances.slice(0, 2)).toEqual([before - 10_000_000 - fee, 10_000_000]);
    expect(landed!.blockTime).toBe(await world.connection.getBlockTime(landed!.slot));
  });

  it('keeps a failed transaction, its error and its fee', async () => {
    const poor = await world.funded(['SOL', 1]);
    const transaction = await signed(world, poor, transfer(poor, stranger(), 5_000_000_000));
    const signature = await sendBlindly(world, transaction);
    const err = { InstructionError: [0, { Custom: 1 }] };
    expect(await statusOf(world, signature)).toMatchObject({ err, confirmationStatus: 'finalized' });
    expect(await world.connection.getBalance(poor.publicKey)).toBe(1_000_000_000 - 5_000);
    const landed = await world.connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(landed!.meta).toMatchObject({ err, fee: 5_000 });
    const [newest] = await world.connection.getSignaturesForAddress(poor.publicKey);
    expect(newest).toMatchObject({ signature, err });
  });

  it('never lands a transaction whose payer cannot pay the fee', async () => {
    const transaction = await signed(world, Keypair.generate(), transfer(alice, stranger(), 1));
    expect(transaction.signatures).toHaveLength(2);
    const broke = Keypair.generate();
    const signature = await sendBlindly(world, await signed(world, broke, transfer(broke, stranger(), 1)));
    expect(await statusOf(world, signature)).toBeNull();
  });

  it('refuses to land the same bytes twice and says so as a node does', async () => {
    const transaction = await signed(world, alice, transfer(alice, stranger(), 10_000_000));
    await world.connection.sendTransaction(transaction);
    const after = await world.connection.getBalance(alice.publicKey);
    await sendBlindly(world, transaction);
    expect(await world.connection.getBalance(alice.publicKey)).toBe(after);
    const error = await world.connection.sendTransaction(transaction).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(SendTransactionError);
    expect((error as Error).message).toContain('This transaction has already been processed');
  });

  it('still refuses it after thousands of others', async () => {
    const first = await signed(world, alice, transfer(alice, stranger(), 10_000_000));
    const signature = await sendBlindly(world, first);
    const others = Array.from({ length: 300 }, () => stranger().toBase58());
    await world.admin('POST', '/faucet', { addresses: others, token: 'SOL', amount: 1 });
    const after = await world.connection.getBalance(alice.publicKey);
    expect(await sendBlindly(world, first)).toBe(signature);
    expect(await world.connection.getBalance(alice.publicKey)).toBe(after);
  });

  it('answers a failed preflight with the error, the logs and no trace on the chain', async () => {
    const transaction = await signed(world, alice, transfer(alice, stranger(), 10n ** 15n));
    const encoded = Buffer.from(transaction.serialize()).toString('base64');
    const { error } = await world.rpc('sendTransaction', [encoded, { encoding: 'base64' }]);
    expect(error).toMatchObject({
      code: -32002,
      message: 'Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1',
      data: { err: { InstructionError: [0, { Custom: 1 }] }, accounts: null, unitsConsumed: 150 },
    });
    expect(
      (error!.data as unknown as { logs: string[] }).logs.some((line) => line.includes('insufficient lamports')),
    ).toBe(true);
  });

  it('answers a bad signature, an unknown blockhash and bytes that are no transaction', async () => {
    const transaction = await signed(world, alice, transfer(alice, stranger(), 10_000_000));
    transaction.signatures[0]![5]! ^= 1;
    const send = (wire: Uint8Array): ReturnType<World['rpc']> =>
      world.rpc('sendTransaction', [Buffer.from(wire).toString('base64'), { encoding: 'base64' }]);
    expect((await send(transaction.serialize())).error).toMatchObject({ code: -32003 });
    transaction.message.recentBlockhash = stranger().toBase58();
    transaction.sign([alice]);
    expect((await send(transaction.serialize())).error).toMatchObject({
      code: -32002,
      data: { err: 'BlockhashNotFound' },
    });
    expect((await send(transaction.serialize().subarray(0, 100))).error).toMatchObject({ code: -32602 });
    expect((await world.rpc('sendTransaction', ['!', { encoding: 'base64' }])).error).toMatchObject({ code: -32602 });
  });

  it('makes, extends and uses a lookup table', async () => {
    const recentSlot = (await world.connection.getSlot()) - 1;
    const authority = { authority: alice.publicKey, payer: alice.publicKey };
    const [create, table] = AddressLookupTableProgram.createLookupTable({ ...authority, recentSlot });
    await world.connection.sendTransaction(await signed(world, alice, create));
    const addresses = Array.from({ length: 10 }, stranger);
    const extend = AddressLookupTableProgram.extendLookupTable({ ...authority, lookupTable: table, addresses });
    await world.connection.sendTransaction(await signed(world, alice, extend));
    const { value } = await world.connection.getAddressLookupTable(table);
    const { blockhash } = await world.connection.getLatestBlockhash();
    const instructions = addresses.map((to) => transfer(alice, to, 10_000_000));
    const message = new TransactionMessage({ payerKey: alice.publicKey, recentBlockhash: blockhash, instructions });
    const transaction = new VersionedTransaction(message.compileToV0Message([value!]));
    transaction.sign([alice]);
    const signature = await world.connection.sendTransaction(transaction);
    const landed = await world.connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(landed!.meta!.loadedAddresses!.writable.map(String)).toEqual(addresses.map(String));
    expect((await world.connection.getSignaturesForAddress(addresses[3]!))[0]).toMatchObject({ signature });
    expect(await world.connection.getBalance(addresses[9]!)).toBe(10_000_000);
  });

  it('simulates: unsigned, with a new blockhash, with the accounts as they would be', async () => {
    const to = stranger();
    const instructions = [transfer(alice, to, 10_000_000)];
    const recentBlockhash = stranger().toBase58();
    const message = new TransactionMessage({ payerKey: alice.publicKey, recentBlockhash, instructions });
    const transaction = new VersionedTransaction(message.compileToV0Message());
    const accounts = { encoding: 'base64' as const, addresses: [to.toBase58(), stranger().toBase58()] };
    const { value } = await world.connection.simulateTransaction(transaction, {
      replaceRecentBlockhash: true,
      accounts,
    });
    expect(value).toMatchObject({ err: null, unitsConsumed: 150 });
    expect(value.accounts![0]).toMatchObject({ lamports: 10_000_000 });
    expect(value.accounts![1]).toBeNull();
    expect(await world.connection.getBalance(to)).toBe(0);
    const unreplaced = await world.connection.simulateTransaction(transaction);
    expect(unreplaced.value.err).toBe('BlockhashNotFound');
    const both = { encoding: 'base64', sigVerify: true, replaceRecentBlockhash: true };
    const encoded = Buffer.from(transaction.serialize()).toString('base64');
    expect((await world.rpc('simulateTransaction', [encoded, both])).error).toMatchObject({ code: -32602 });
    const verified = { encoding: 'base64', sigVerify: true };
    const fresh = await signed(world, alice, ...instructions);
    fresh.signatures[0] = new Uint8Array(64);
    const unsigned = Buffer.from(fresh.serialize()).toString('base64');
    expect((await world.rpc('simulateTransaction', [unsigned, verified])).error).toMatchObject({ code: -32003 });
  });

  it('pages through the signatures of an address, newest first', async () => {
    const bob = await world.funded(['SOL', 1]);
    for (let i = 0; i < 4; i++) await sendBlindly(world, await signed(world, bob, transfer(bob, bob.publicKey, i)));
    const all = (await world.connection.getSignaturesForAddress(bob.publicKey)).map((s) => s.signature);
    expect(all).toHaveLength(5);
    const page = async (options: object): Promise<string[]> =>
      (await world.connection.getSignaturesForAddress(bob.publicKey, options)).map((s) => s.signature);
    expect(await page({ limit: 2 })).toEqual(all.slice(0, 2));
    expect(await page({ limit: 2, before: all[1]! })).toEqual(all.slice(2, 4));
    expect(await page({ until: all[3]! })).toEqual(all.slice(0, 3));
    expect(await page({ before: all[0]!, until: all[4]! })).toEqual(all.slice(1, 4));
  });

  it('answers errors with a node’s codes', async () => {
    const signature = await sendBlindly(world, await signed(world, alice, transfer(alice, stranger(), 10_000_000)));
    const code = async (method: string, ...params: unknown[]): Promise<number | undefined> =>
      (await world.rpc(method, params)).error?.code;
    expect(await code('getTransaction', signature)).toBe(-32015);
    expect(await code('getTransaction', signature, { commitment: 'processed' })).toBe(-32602);
    expect(await code('getBalance', 'nonsense')).toBe(-32602);
    expect(await code('getBalance')).toBe(-32602);
    expect(await code('getBalance', alice.publicKey.toBase58(), { minContextSlot: 10 ** 12 })).toBe(-32016);
    expect(await code('getSlot', { commitment: 'sometimes' })).toBe(-32602);
    expect(await code('getBlockTime', 10 ** 12)).toBe(-32004);
    expect(await code('noSuchMethod')).toBe(-32601);
    expect(await code('toString')).toBe(-32601);
  });

  it('answers batches, and bodies that are no JSON', async () => {
    const post = async (body: string): Promise<unknown> =>
      (await fetch(world.sandbox.rpcUrl, { method: 'POST', body })).json();
    const call = (id: number, method: string): object => ({ jsonrpc: '2.0', id, method });
    const answers = await post(JSON.stringify([call(1, 'getHealth'), call(2, 'nope'), call(3, 'getSlot')]));
    expect(answers).toMatchObject([{ id: 1, result: 'ok' }, { id: 2, error: { code: -32601 } }, { id: 3 }]);
    expect(await post('{')).toMatchObject({ error: { code: -32700 } });
    expect(await post('[]')).toMatchObject({ error: { code: -32600 } });
    expect(await (await fetch(`${world.sandbox.rpcUrl}/health`)).text()).toBe('ok');
  });

  it('shows programs, sysvars and u64 values as a node does', async () => {
    const text = await (
      await fetch(world.sandbox.rpcUrl, {
        method: 'POST',
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'getAccountInfo',
          params: [TOKEN_PROGRAM_ID.toBase58(), { encoding: 'base64' }],
        }),
      })
    ).text();
    expect(text).toContain('"executable":true');
    expect(text).toContain('"rentEpoch":18446744073709551615');
    const found = await world.connection.getMultipleAccountsInfo([stranger(), USDC]);
    expect(found[0]).toBeNull();
    expect(found[1]!.owner).toEqual(TOKEN_PROGRAM_ID);
  });

  it('finds the accounts of a program by filters', async () => {
    const owner = alice.publicKey.toBase58();
    const filters = [{ dataSize: 165 }, { memcmp: { offset: 32, bytes: owner } }];
    const found = await world.connection.getProgramAccounts(TOKEN_PROGRAM_ID, { filters });
    expect(found.map((f) => f.pubkey)).toContainEqual(getAssociatedTokenAddressSync(USDC, alice.publicKey));
  });
});
