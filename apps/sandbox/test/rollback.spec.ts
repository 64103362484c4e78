import { eventually } from '@agent-wallet/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Keypair } from '@solana/web3.js';
import { sendBlindly, signed, statusOf, transfer } from './transactions.js';
import { temporaryDir, World } from './world.js';

const data = temporaryDir();
const ENV = { SANDBOX_SLOT_MS: '20', SANDBOX_FINALIZE_SLOTS: '200', SANDBOX_DATA_DIR: data.dir };

let world: World;

afterEach(async () => {
  await world.stop();
  data.remove();
});

describe('the fault rollback', () => {
  it('undoes a confirmed block and all later ones; only its transaction is lost, also after a restart', async () => {
    world = await World.start(ENV);
    const [alice, bob, carol] = [await world.funded(['SOL', 10]), Keypair.generate(), Keypair.generate()];
    const pay = async (to: Keypair) => signed(world, alice, transfer(alice, to.publicKey, 1_000_000_000));
    await world.arm('rollback', { match: { address: bob.publicKey.toBase58() }, delayMs: 1_000 });
    const lost = await pay(bob);
    const signature = await sendBlindly(world, lost);
    await eventually(async () => (await statusOf(world, signature))?.confirmationStatus === 'confirmed');
    const other = await sendBlindly(world, await pay(carol));
    await eventually(async () => (await statusOf(world, other))?.confirmationStatus === 'confirmed');

    await eventually(async () => (await statusOf(world, signature)) === null);
    await sendBlindly(world, lost);
    await eventually(async () => (await statusOf(world, other))?.confirmationStatus === 'finalized', 20_000);
    const expectLost = async () => {
      expect(await statusOf(world, signature)).toBeNull();
      expect(await world.connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 })).toBeNull();
      expect(await world.connection.getSignaturesForAddress(bob.publicKey)).toEqual([]);
      expect(await world.raw(bob.publicKey, 'SOL')).toBe(0n);
      expect(await world.raw(carol.publicKey, 'SOL')).toBe(1_000_000_000n);
      expect(await world.raw(alice.publicKey, 'SOL')).toBe(8_999_995_000n);
    };
    await expectLost();

    await world.sandbox.stop();
    world = await World.start(ENV);
    await expectLost();
    // The virtual machine has the same money as the accounts that are read.
    await sendBlindly(world, await pay(bob));
    await eventually(async () => (await world.raw(bob.publicKey, 'SOL')) === 1_000_000_000n);
    expect(await world.raw(alice.publicKey, 'SOL')).toBe(7_999_990_000n);
  });
});

describe('a final transaction', () => {
  it('is not undone any more', async () => {
    world = await World.start({ SANDBOX_SLOT_MS: '20', SANDBOX_FINALIZE_SLOTS: '5' });
    await world.arm('rollback', { delayMs: 500 });
    const bob = await world.funded(['SOL', 1]);
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(await world.raw(bob.publicKey, 'SOL')).toBe(1_000_000_000n);
  });
});
