import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { lamports } from './sandbox.js';
import { DepositWorld } from './world.js';

let world: DepositWorld;

beforeAll(async () => {
  world = await DepositWorld.open(80);
});
afterEach(async () => {
  await world.sandbox.disarm();
  await world.forget();
});
afterAll(() => world?.close());

describe('a block that the chain undoes', () => {
  it('takes its deposit with it, and nothing else; what lands again is shown', async () => {
    const agent = await world.agent();
    world.watch();
    await world.sandbox.faucet(agent.address, 'SOL', 1);
    await world.confirmed(agent, 1);
    const sender = await world.sandbox.stranger(['SOL', 5]);
    await eventually(
      async () => (await world.sandbox.connection.getBalance(sender.publicKey, 'finalized')) > 0,
      (isThere) => isThere,
    );
    await world.sandbox.arm('rollback', { delayMs: 1_000, match: { address: sender.publicKey.toBase58() } });
    const lost = await world.sandbox.send([sender], lamports(sender, agent.publicKey, 2_000_000_000));
    await world.sandbox.faucet(agent.address, 'SOL', 3);
    const shown = await eventually(
      () => world.shown(agent),
      (all) =>
        all.some(({ status }) => status === 'dropped') &&
        all.filter((each) => each.status === 'confirmed').length === 2,
    );
    await world.quiet(agent);
    expect(await world.shown(agent)).toEqual(shown);
    const byStatus = (wanted: string) => shown.filter(({ status }) => status === wanted);
    expect(byStatus('dropped')).toMatchObject([{ signature: lost, amount: 2_000_000_000n, revision: 2 }]);
    expect(byStatus('confirmed').map(({ amount }) => amount)).toEqual([1_000_000_000n, 3_000_000_000n]);
    expect(await world.sandbox.raw(agent.address, 'SOL')).toBe(4_000_000_000n);
    // The search goes on as before.
    await world.sandbox.faucet(agent.address, 'SOL', 4);
    expect(await world.confirmed(agent, 3)).toHaveLength(4);
  });

  it('while no watch is running leaves no trace once one is', async () => {
    const agent = await world.agent();
    world.watch();
    await world.sandbox.arm('rollback', { delayMs: 1_000, match: { address: agent.address } });
    await world.sandbox.faucet(agent.address, 'SOL', 1);
    await eventually(
      () => world.shown(agent),
      ([only]) => only?.status === 'pending',
    );
    await world.stopWatching();
    await eventually(
      () => world.sandbox.raw(agent.address, 'SOL'),
      (raw) => raw === 0n,
    );
    world.watch();
    await eventually(
      () => world.shown(agent),
      ([only]) => only?.status === 'dropped',
    );
  });
});
