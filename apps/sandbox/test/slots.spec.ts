import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Keypair,
  type Logs,
  PublicKey,
  SYSVAR_CLOCK_PUBKEY,
  TransactionExpiredBlockheightExceededError,
} from '@solana/web3.js';
import { sendBlindly, signed, statusOf, transfer } from './transactions.js';
import { World } from './world.js';

const SLOT_MS = 20;
/** More than a second, within which a busy machine has looked too. */
const FINALIZE_SLOTS = 60;

/** Slots pass: what is processed is confirmed later and final much later. */
describe('a chain with slots', () => {
  let world: World;
  let alice: Keypair;

  beforeAll(async () => {
    world = await World.start({ SANDBOX_SLOT_MS: String(SLOT_MS), SANDBOX_FINALIZE_SLOTS: String(FINALIZE_SLOTS) });
    alice = await world.funded(['SOL', 100], ['USDC', 100]);
  });

  afterAll(() => world.stop());

  const stranger = (): PublicKey => Keypair.generate().publicKey;

  it('ticks: slot, height and block time go on by themselves', async () => {
    const before = await world.connection.getEpochInfo('processed');
    await eventually(async () => (await world.connection.getSlot('processed')) >= before.absoluteSlot + 10);
    const after = await world.connection.getEpochInfo('processed');
    expect(after.blockHeight! - before.blockHeight!).toBe(after.absoluteSlot - before.absoluteSlot);
    expect(await world.connection.getBlockTime(after.absoluteSlot - 5)).toBeCloseTo(Date.now() / 1000, -1);
  });

  it('has a clock that goes with the slots and says what getBlockTime says, at each commitment', async () => {
    for (const commitment of ['processed', 'finalized'] as const) {
      const { context, value } = await world.connection.getAccountInfoAndContext(SYSVAR_CLOCK_PUBKEY, commitment);
      const [slot, seconds] = [value!.data.readBigUInt64LE(0), value!.data.readBigInt64LE(32)];
      expect(Number(slot)).toBe(context.slot);
      expect(Number(seconds)).toBe(await world.connection.getBlockTime(context.slot));
      expect(Number(value!.data.readBigUInt64LE(16))).toBe((await world.connection.getEpochInfo(commitment)).epoch);
      expect(value!.owner.toBase58()).toBe('Sysvar1111111111111111111111111111111111111');
      expect(value!.data).toHaveLength(40);
    }
  });

  it('shows each commitment its own state while a landing becomes final', async () => {
    const to = stranger();
    const signature = await sendBlindly(world, await signed(world, alice, transfer(alice, to, 10_000_000)));
    await eventually(async () => (await statusOf(world, signature)) !== null);
    const early = {
      final: await world.connection.getBalance(to, 'finalized'),
      status: await statusOf(world, signature),
    };
    expect(early.final).toBe(0);
    expect(early.status!.confirmationStatus).not.toBe('finalized');
    expect(
      await world.connection.getTransaction(signature, { commitment: 'finalized', maxSupportedTransactionVersion: 0 }),
    ).toBeNull();
    await eventually(async () => (await statusOf(world, signature))!.confirmationStatus === 'finalized');
    expect(await world.connection.getBalance(to, 'finalized')).toBe(10_000_000);
    const { slot } = (await statusOf(world, signature))!;
    expect((await world.connection.getSlot('processed')) - slot).toBeGreaterThanOrEqual(FINALIZE_SLOTS);
  });

  it('shows token accounts at each commitment too', async () => {
    const bob = stranger();
    await world.admin('POST', '/faucet', { address: bob.toBase58(), token: 'USDC', amount: 1 });
    const count = async (commitment: 'confirmed' | 'finalized'): Promise<number> => {
      const filter = { programId: new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA') };
      return (await world.connection.getTokenAccountsByOwner(bob, filter, commitment)).value.length;
    };
    expect([await count('confirmed'), await count('finalized')]).toEqual([1, 0]);
    await eventually(async () => (await count('finalized')) === 1);
  });

  it('confirms over the WebSocket, at each commitment', async () => {
    for (const commitment of ['processed', 'confirmed', 'finalized'] as const) {
      const latest = await world.connection.getLatestBlockhash(commitment);
      const transaction = await signed(world, alice, transfer(alice, stranger(), 10_000_000));
      const signature = await sendBlindly(world, transaction);
      const { value } = await world.connection.confirmTransaction({ signature, ...latest }, commitment);
      expect(value.err).toBeNull();
    }
  });

  it('tells subscribers of slots, roots, logs and account changes', async () => {
    const heard = { slots: 0, roots: 0, logs: [] as Logs[], lamports: [] as number[] };
    const bob = await world.funded(['SOL', 1]);
    const subscribed = [
      world.connection.onSlotChange(() => (heard.slots += 1)),
      world.connection.onRootChange(() => (heard.roots += 1)),
    ];
    world.connection.onLogs(bob.publicKey, (logs) => heard.logs.push(logs), 'confirmed');
    world.connection.onAccountChange(bob.publicKey, (account) => heard.lamports.push(account.lamports), 'confirmed');
    await eventually(() => heard.slots > 0 && heard.roots > 0);
    const signature = await sendBlindly(world, await signed(world, bob, transfer(bob, stranger(), 100_000_000)));
    await eventually(() => heard.logs.length > 0 && heard.lamports.length > 0);
    expect(heard.logs[0]).toMatchObject({ signature, err: null });
    expect(heard.lamports).toEqual([899_995_000]);
    await world.connection.removeSlotChangeListener(subscribed[0]!);
    await world.connection.removeRootChangeListener(subscribed[1]!);
  });

  it('pours although the clock jumps meanwhile', async () => {
    const order = { address: stranger().toBase58(), token: 'SOL', amount: 1 };
    const [poured] = await Promise.all([
      world.admin('POST', '/faucet', order),
      world.admin('POST', '/clock', { advanceSeconds: 120 }),
    ]);
    expect(poured.status).toBe(200);
    expect(await world.raw(new PublicKey(order.address), 'SOL')).toBe(1_000_000_000n);
  });

  it('lets a blockhash live exactly 150 blocks', async () => {
    const { blockhash, lastValidBlockHeight } = await world.connection.getLatestBlockhash('processed');
    const advance = async (): Promise<void> => {
      const height = await world.connection.getBlockHeight('processed');
      const seconds = Math.max(0, lastValidBlockHeight - height - 15) * 0.4;
      await world.admin('POST', '/clock', { advanceSeconds: seconds });
    };
    await advance();
    let wasValid = 0;
    await eventually(async () => {
      const { context, value } = await world.connection.isBlockhashValid(blockhash, { commitment: 'processed' });
      const height = lastValidBlockHeight - 150 + (context.slot - (await slotOf(lastValidBlockHeight - 150)));
      expect(value).toBe(height <= lastValidBlockHeight);
      if (value) wasValid += 1;
      return !value;
    });
    expect(wasValid).toBeGreaterThan(0);
  });

  /** Slots and heights run in parallel here, so one observation gives the distance. */
  async function slotOf(height: number): Promise<number> {
    const info = await world.connection.getEpochInfo('processed');
    return info.absoluteSlot - (info.blockHeight! - height);
  }

  it('lets a transaction die with its blockhash, provably', async () => {
    const latest = await world.connection.getLatestBlockhash();
    const transaction = await signed(world, alice, transfer(alice, stranger(), 10_000_000));
    await world.admin('POST', '/clock', { advanceSeconds: 120 });
    const signature = await sendBlindly(world, transaction);
    const outcome = await world.connection.confirmTransaction({ signature, ...latest }).catch((e: unknown) => e);
    expect(outcome).toBeInstanceOf(TransactionExpiredBlockheightExceededError);
    expect(await world.connection.getBlockHeight('finalized')).toBeGreaterThan(latest.lastValidBlockHeight);
    expect(await statusOf(world, signature)).toBeNull();
    const refused = await world.rpc('sendTransaction', [
      Buffer.from(transaction.serialize()).toString('base64'),
      { encoding: 'base64' },
    ]);
    expect(refused.error).toMatchObject({ code: -32002, data: { err: 'BlockhashNotFound' } });
  });
});
