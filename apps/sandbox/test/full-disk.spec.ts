import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Keypair, PublicKey, type VersionedTransaction } from '@solana/web3.js';
import { cpSync } from 'node:fs';
import { createTransport } from 'nodemailer';
import { RecordType } from '../src/journal/record-types.js';
import { SmallDisk } from './small-disk.js';
import { sendBlindly, signed, statusOf, transfer } from './transactions.js';
import { temporaryDir, World } from './world.js';

const PAID = 10_000_000;
const FEE = 5_000;
const NATIVE_MINT = new PublicKey('So11111111111111111111111111111111111111112');
const TEXT = /the disk is full/;

describe.each([
  ['final at once', { SANDBOX_SLOT_MS: '0' }],
  ['with slots', { SANDBOX_SLOT_MS: '20', SANDBOX_FINALIZE_SLOTS: '5' }],
])('on a full disk, a chain %s', (_name, timing) => {
  let data: ReturnType<typeof temporaryDir>;
  let disk: SmallDisk;
  let world: World;
  let alice: Keypair;

  beforeEach(async () => {
    data = temporaryDir();
    disk = new SmallDisk();
    world = await World.start({ ...timing, SANDBOX_DATA_DIR: data.dir }, disk);
    alice = await world.funded(['SOL', 10], ['USDC', 10]);
  });

  afterEach(async () => {
    await world.stop();
    data.remove();
  });

  const pay = (to: PublicKey): Promise<VersionedTransaction> => signed(world, alice, transfer(alice, to, PAID));
  const lands = (signature: string): Promise<unknown> =>
    eventually(async () => (await statusOf(world, signature)) !== null);
  /** What clients see of the chain, the same after a restart. */
  const state = async (): Promise<unknown> => [
    await world.raw(alice.publicKey, 'SOL'),
    await world.raw(alice.publicKey, 'USDC'),
    (await world.admin('GET', `/chain/transactions?address=${alice.publicKey.toBase58()}`)).body,
  ];
  const restart = async (): Promise<void> => {
    await world.stop();
    world = await World.start({ ...timing, SANDBOX_DATA_DIR: data.dir }, disk);
  };

  it('refuses writes with the reason, changes nothing, and still answers reads', async () => {
    const before = await state();
    const prices = (await world.admin('POST', '/prices', { freeze: true })).body;
    const transaction = await pay(Keypair.generate().publicKey);
    disk.full = 'all';

    for (let attempt = 0; attempt < 2; attempt += 1) {
      await expect(sendBlindly(world, transaction)).rejects.toThrow(TEXT);
    }
    const orders: Array<[string, Record<string, unknown>]> = [
      ['/faucet', { address: alice.publicKey.toBase58(), token: 'SOL', amount: 1 }],
      ['/mints', { symbol: 'NEW', decimals: 2 }],
      ['/prices', { token: 'JUP', usd: 7 }],
      ['/faults', { part: 'chain', fault: 'drop' }],
      ['/clock', { advanceSeconds: 3600 }],
    ];
    for (const [route, body] of orders) {
      expect(await world.admin('POST', route, body)).toEqual({
        status: 503,
        body: { error: expect.stringMatching(TEXT) },
      });
    }
    const mail = { from: 'a@example.org', to: 'b@example.org', subject: 's', text: 't' };
    await expect(createTransport(world.sandbox.smtpUrl).sendMail(mail)).rejects.toThrow(/452.*the disk is full/);

    const check = async (): Promise<void> => {
      expect(await state()).toEqual(before);
      expect((await world.admin('GET', '/faults')).body).toEqual({ faults: [] });
      expect((await world.admin('GET', '/inbox')).body).toEqual({ messages: [] });
      expect(withoutBlocks((await world.admin('GET', '/prices')).body)).toEqual(withoutBlocks(prices));
      expect(await world.connection.getBlockTime(await world.connection.getSlot())).toBeCloseTo(Date.now() / 1000, -1);
    };
    await check();
    disk.full = [];
    await restart();
    await check();
  });

  it('goes on by itself once there is space, with every lamport where it belongs', async () => {
    const bob = Keypair.generate().publicKey;
    const refused = await pay(bob);
    const toMint = await pay(NATIVE_MINT);
    disk.full = 'all';
    await expect(sendBlindly(world, refused)).rejects.toThrow(TEXT);
    await expect(sendBlindly(world, toMint)).rejects.toThrow(TEXT);
    disk.full = [];

    await lands(await sendBlindly(world, refused));
    const { status } = await world.admin('POST', '/faucet', {
      address: alice.publicKey.toBase58(),
      token: NATIVE_MINT.toBase58(),
      amount: 1,
    });
    expect(status).toBe(200);
    expect(await world.raw(bob, 'SOL')).toBe(BigInt(PAID));
    expect(await world.raw(alice.publicKey, 'SOL')).toBe(10_000_000_000n - BigInt(PAID + FEE));
    const after = await state();
    await restart();
    expect(await state()).toEqual(after);
  });
});

describe('on a disk that is full when a block begins', () => {
  // A message lives for 150 slots: longer than a busy machine takes to start the next life.
  const timing = { SANDBOX_SLOT_MS: '200', SANDBOX_FINALIZE_SLOTS: '2' };
  let data: ReturnType<typeof temporaryDir>;
  let disk: SmallDisk;
  let world: World;
  let alice: Keypair;
  let bob: PublicKey;

  beforeEach(async () => {
    data = temporaryDir();
    disk = new SmallDisk();
    world = await World.start({ ...timing, SANDBOX_DATA_DIR: data.dir }, disk);
    alice = await world.funded(['SOL', 10]);
    bob = Keypair.generate().publicKey;
    disk.full = [RecordType.landed];
  });

  afterEach(async () => {
    await world.stop();
    data.remove();
  });

  it('lets what was taken on wait, in this life or the next', async () => {
    const both = await Promise.all(
      [PAID, PAID + 1].map((lamports) => signed(world, alice, transfer(alice, bob, lamports))),
    );
    const signatures = await sendTogether(world, both);
    await eventually(() => disk.refused >= 2);
    const shown = await Promise.all(signatures.map((signature) => statusOf(world, signature)));
    expect([...shown, await world.raw(bob, 'SOL')]).toEqual([null, null, 0n]);

    const copy = temporaryDir();
    cpSync(data.dir, copy.dir, { recursive: true });
    const next = await World.start({ ...timing, SANDBOX_DATA_DIR: copy.dir });
    disk.full = [];
    for (const life of [world, next]) {
      await eventually(async () => (await life.raw(bob, 'SOL')) === BigInt(2 * PAID + 1));
      expect(await life.raw(alice.publicKey, 'SOL')).toBe(10_000_000_000n - BigInt(2 * (PAID + FEE) + 1));
    }
    await next.stop();
    copy.remove();
  });

  it('says at once why the faucet’s money waits, and takes no more until it has landed', async () => {
    const order = { address: bob.toBase58(), token: 'SOL', amount: 1 };
    const waits = await world.admin('POST', '/faucet', order);
    expect(waits).toEqual({ status: 422, body: { error: expect.stringMatching(/waits to land: the disk is full/) } });
    const payment = await signed(world, alice, transfer(alice, bob, PAID));
    await expect(sendBlindly(world, payment)).rejects.toThrow(TEXT);
    expect((await world.admin('POST', '/faucet', order)).status).toBe(503);

    disk.full = [];
    await eventually(async () => (await world.raw(bob, 'SOL')) === 1_000_000_000n);
    await sendBlindly(world, payment);
    await eventually(async () => (await world.raw(bob, 'SOL')) === BigInt(1_000_000_000 + PAID));
  });
});

/** By one batch, so that no block begins in between. */
async function sendTogether(world: World, transactions: VersionedTransaction[]): Promise<string[]> {
  const calls = transactions.map((transaction, id) => {
    const params = [
      Buffer.from(transaction.serialize()).toString('base64'),
      { encoding: 'base64', skipPreflight: true },
    ];
    return { jsonrpc: '2.0', id, method: 'sendTransaction', params };
  });
  const response = await fetch(world.sandbox.rpcUrl, { method: 'POST', body: JSON.stringify(calls) });
  return ((await response.json()) as Array<{ result: string }>).map(({ result }) => result);
}

function withoutBlocks({ frozen, prices }: Record<string, never>): unknown {
  return [frozen, (prices! as Array<{ token: string; usd: number }>).map(({ token, usd }) => [token, usd])];
}
