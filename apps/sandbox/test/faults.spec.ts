import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { PublicKey } from '@solana/web3.js';
import { Keypair, type VersionedTransaction } from '@solana/web3.js';
import { sendBlindly, signed, statusOf, transfer } from './transactions.js';
import { encodeBase58 } from '../src/encoding/base58.js';
import { World } from './world.js';

const stranger = (): PublicKey => Keypair.generate().publicKey;

describe.each([
  ['final at once', { SANDBOX_SLOT_MS: '0' }],
  ['with slots', { SANDBOX_SLOT_MS: '20', SANDBOX_FINALIZE_SLOTS: '5' }],
])('faults of a chain %s', (_name, env) => {
  let world: World;
  let alice: Keypair;

  beforeAll(async () => {
    world = await World.start(env);
    alice = await world.funded(['SOL', 100]);
  });

  afterEach(() => world.admin('DELETE', '/faults'));

  afterAll(() => world.stop());

  const payment = (): Promise<VersionedTransaction> => signed(world, alice, transfer(alice, stranger(), 10_000_000));
  const lands = (signature: string): Promise<unknown> =>
    eventually(async () => (await statusOf(world, signature)) !== null);
  /** Waits until a later transaction has landed: everything earlier that can land has landed by then. */
  const othersLand = async (): Promise<void> => {
    await lands(await sendBlindly(world, await payment()));
  };
  const used = async (): Promise<number[]> => {
    const { body } = await world.admin('GET', '/faults');
    return (body['faults']! as Array<{ used: number }>).map((f) => f.used);
  };

  it('drop: accepted, never lands, rebroadcasts of the same bytes included', async () => {
    const transaction = await payment();
    await world.arm('drop');
    const signature = await sendBlindly(world, transaction);
    await sendBlindly(world, transaction);
    expect(await world.connection.sendTransaction(transaction)).toBe(signature);
    await othersLand();
    expect(await statusOf(world, signature)).toBeNull();
    expect(await used()).toEqual([1]);
  });

  it('drop with an address takes only transactions that name it', async () => {
    const bob = await world.funded(['SOL', 1]);
    await world.arm('drop', { match: { address: bob.publicKey.toBase58() }, times: 2 });
    await othersLand();
    const dropped = await sendBlindly(world, await signed(world, bob, transfer(bob, stranger(), 10_000_000)));
    const paidTo = await sendBlindly(world, await signed(world, alice, transfer(alice, bob.publicKey, 10_000_000)));
    await othersLand();
    expect([await statusOf(world, dropped), await statusOf(world, paidTo)]).toEqual([null, null]);
    expect(await used()).toEqual([2]);
  });

  it('delay: accepted at once, lands late, rebroadcasts do not hurry it', async () => {
    const transaction = await payment();
    await world.arm('delay', { delayMs: 2_000 });
    const sentAt = Date.now();
    const signature = await sendBlindly(world, transaction);
    await sendBlindly(world, transaction);
    await othersLand();
    expect(await statusOf(world, signature)).toBeNull();
    await lands(signature);
    expect(Date.now() - sentAt).toBeGreaterThanOrEqual(2_000);
  });

  it('POST /chain/land ends a delay', async () => {
    await world.arm('delay', { delayMs: 600_000 });
    const signature = await sendBlindly(world, await payment());
    await othersLand();
    expect(await statusOf(world, signature)).toBeNull();
    expect((await world.admin('POST', '/chain/land', {})).status).toBe(200);
    await lands(signature);
  });

  it('delay of a named method holds back its answer', async () => {
    await world.arm('delay', { delayMs: 200, match: { method: 'getSlot' } });
    // The fault happens once: had it delayed this call, it would not delay the next one.
    await world.rpc('getBlockHeight');
    const askedAt = Date.now();
    await world.rpc('getSlot');
    expect(Date.now() - askedAt).toBeGreaterThanOrEqual(199);
  });

  it('landThenFailReply: the money moves, the answer is lost', async () => {
    const transaction = await payment();
    await world.arm('landThenFailReply');
    await expect(
      world.rpc('sendTransaction', [encoded(transaction), { encoding: 'base64', skipPreflight: true }]),
    ).rejects.toThrow();
    const signature = encodeBase58(transaction.signatures[0]!);
    await lands(signature);
    expect(await statusOf(world, signature)).toMatchObject({ err: null });
  });

  it('lagStatus: reads come from a state that old, and say so', async () => {
    const to = stranger();
    await eventually(async () => (await world.connection.getSlot()) > 0);
    const signature = await sendBlindly(world, await signed(world, alice, transfer(alice, to, 10_000_000)));
    await lands(signature);
    const { slot } = (await statusOf(world, signature))!;
    await world.arm('lagStatus', { delayMs: 5_000, times: 3 });
    const lagging = await world.connection.getSignatureStatuses([signature], { searchTransactionHistory: true });
    expect(lagging.value[0]).toBeNull();
    expect(lagging.context.slot).toBeLessThan(slot);
    const balance = await world.connection.getBalanceAndContext(to, 'processed');
    expect(balance.value).toBe(0);
    expect(balance.context.slot).toBeLessThan(slot);
    const found = await world.connection.getTransaction(signature, {
      commitment: 'confirmed',
      maxSupportedTransactionVersion: 0,
    });
    expect(found).toBeNull();
    expect(await statusOf(world, signature)).not.toBeNull();
  });

  it('lagStatus refuses a caller that demands a newer slot', async () => {
    const head = await world.connection.getSlot('processed');
    await world.arm('lagStatus', { delayMs: 5_000 });
    const { error } = await world.rpc('getBalance', [
      alice.publicKey.toBase58(),
      { commitment: 'processed', minContextSlot: head },
    ]);
    expect(error).toMatchObject({ code: -32016 });
    expect((error!.data as unknown as { contextSlot: number }).contextSlot).toBeLessThan(head);
  });

  it('lagStatus leaves heights alone unless they are named', async () => {
    await world.arm('lagStatus', { delayMs: 5_000 });
    const height = await world.connection.getBlockHeight('processed');
    expect(await used()).toEqual([0]);
    await world.arm('lagStatus', { delayMs: 5_000, match: { method: 'getBlockHeight' } });
    expect(await world.connection.getBlockHeight('processed')).toBeLessThan(height);
    expect(await used()).toEqual([0, 1]);
  });

  it.each([
    ['error429', 429],
    ['error500', 500],
  ])('%s: the call fails before anything happens', async (fault, status) => {
    const transaction = await payment();
    await world.arm(fault, { match: { method: 'sendTransaction' } });
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'sendTransaction',
      params: [encoded(transaction), { encoding: 'base64' }],
    });
    const response = await fetch(world.sandbox.rpcUrl, { method: 'POST', body });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code: status } });
    await othersLand();
    expect((await world.rpc('sendTransaction', [encoded(transaction), { encoding: 'base64' }])).error).toBeUndefined();
  });

  it('expireBlockhash: the transaction is refused, or accepted and dead, and its height is past', async () => {
    const { lastValidBlockHeight } = await world.connection.getLatestBlockhash('confirmed');
    const [first, second] = [await payment(), await payment()];
    await world.arm('expireBlockhash');
    const refused = await world.rpc('sendTransaction', [encoded(first), { encoding: 'base64' }]);
    expect(refused.error).toMatchObject({ code: -32002, data: { err: 'BlockhashNotFound' } });
    const signature = await sendBlindly(world, second);
    await othersLand();
    expect(await statusOf(world, signature)).toBeNull();
    expect(await world.connection.getBlockHeight('finalized')).toBeGreaterThan(lastValidBlockHeight + 32);
  });
});

describe('the list of faults', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });

  afterAll(() => world.stop());

  it('counts what a fault did and stops at its number', async () => {
    await world.arm('error500', { times: 2, match: { method: 'getSlot' } });
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) {
      const response = await fetch(world.sandbox.rpcUrl, { method: 'POST', body: '{"id":1,"method":"getSlot"}' });
      statuses.push(response.status);
    }
    expect(statuses).toEqual([500, 500, 200]);
    const { body } = await world.admin('GET', '/faults');
    expect(body['faults']).toMatchObject([
      { part: 'chain', fault: 'error500', times: 2, used: 2, match: { method: 'getSlot' } },
    ]);
    expect((await world.admin('DELETE', '/faults')).body).toEqual({ faults: [] });
  });

  it.each([
    [{ part: 'weather', fault: 'rain' }, 'part'],
    [{ part: 'chain', fault: 'rain' }, 'chain knows drop'],
    [{ part: 'chain', fault: 'drop', times: 0 }, 'times'],
    [{ part: 'chain', fault: 'drop', match: { colour: 'red' } }, 'match'],
    [{ part: 'chain', fault: 'lagStatus', delayMs: 60_001 }, 'delayMs'],
  ])('refuses %j', async (order, reason) => {
    const { status, body } = await world.admin('POST', '/faults', order);
    expect(status).toBe(400);
    expect(body['error']).toContain(reason);
  });
});

function encoded(transaction: VersionedTransaction): string {
  return Buffer.from(transaction.serialize()).toString('base64');
}
