import { afterAll, afterEach, beforeAll, describe, it } from '@jest/globals';
import type { DepositStep } from '../../src/application/deposits/checkpoint.js';
import { expectAllOnce, makeDeposits } from './ten-deposits.js';
import { DepositWorld } from './world.js';

/** So slow that a deposit is seen before it is final, on a busy machine, too: only then is there anything to settle. */
const SLOT_MS = 250;

let world: DepositWorld;

beforeAll(async () => {
  world = await DepositWorld.open(SLOT_MS);
});
afterEach(async () => {
  await world.sandbox.disarm();
  await world.forget();
});
afterAll(() => world?.close());

describe('a replica that dies', () => {
  const steps: DepositStep[] = [
    'after-looking',
    'after-noting-changes',
    'after-listing',
    'after-fetching',
    'after-recording',
    'after-moving-the-cursor',
    'after-finding-accounts',
    'after-claiming-pending',
    'after-reading-the-outcome',
    'after-settling',
  ];

  it.each(steps)('%s leaves the rest to another: nothing is lost or published twice', async (step) => {
    const agent = await world.agent();
    const { died } = world.watch({ dieAt: { step } });
    await makeDeposits(world, agent);
    await died;
    world.watch();
    await world.sandbox.finalize();
    await expectAllOnce(world, agent);
  });

  it('at every step at once leaves enough to the one that lives', async () => {
    const agent = await world.agent();
    for (const step of steps) world.watch({ dieAt: { step, time: 2 } });
    world.watch();
    await makeDeposits(world, agent);
    await world.sandbox.finalize();
    await expectAllOnce(world, agent);
  });
});

describe('several replicas', () => {
  it('find each deposit once between them', async () => {
    const agents = await Promise.all(Array.from({ length: 5 }, () => world.agent()));
    for (let n = 0; n < 3; n += 1) world.watch();
    await Promise.all(agents.map((agent) => makeDeposits(world, agent)));
    await world.sandbox.finalize();
    for (const agent of agents) await expectAllOnce(world, agent);
  });
});
