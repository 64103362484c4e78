import { policyV1 } from '@agent-wallet/contracts';
import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { CheckpointPoint } from '@agent-wallet/operations';
import { landedOf, SwapWorld } from './world.js';

/** A message outlives a copy that dies on a busy machine. */
const SLOT_MS = 150;

let world: SwapWorld;

beforeAll(async () => {
  world = await SwapWorld.open(SLOT_MS);
});
afterEach(async () => {
  await world.sandbox.disarm();
  await world.stopCopies();
});
afterAll(() => world?.close());

const PLACES: CheckpointPoint[] = [
  'after-build',
  'after-reservation',
  'after-signing',
  'after-persisting',
  'after-broadcast',
  'after-landing',
  'before-answering',
];

const TRADES = [
  { by: 'a route', isMakers: false, order: { from: 'USDC', to: 'WIF', amount: '20' } },
  { by: 'a route out of the native coin', isMakers: false, order: { from: 'SOL', to: 'WIF', amount: '0.2' } },
  {
    by: 'a route that a sponsor pays for',
    isMakers: false,
    funds: { USDC: 100 },
    order: { from: 'USDC', to: 'SOL', amount: '20' },
  },
  { by: "a maker's price", isMakers: true, order: { from: 'USDC', to: 'SOL', amount: '20' } },
];

describe.each(TRADES)('a copy that trades by $by and dies', ({ isMakers, order, funds = { SOL: 1, USDC: 100 } }) => {
  it.each(PLACES)('%s leaves a trade that another one finishes, with one effect', async (place) => {
    await world.sponsor(1);
    const agent = await world.agent(funds);
    const options = isMakers ? await world.makersOnly() : {};
    const { copy, died } = world.dyingCopy(place, options);
    const call = world.call(agent, order);
    const signedBefore = world.signer.signed.size;
    void copy.trade.execute(call).catch(() => undefined);
    await died;
    const heir = world.copy(options);
    const answer = await heir.trade.execute(call);
    expect(answer).toMatchObject({ isConfirmed: true, plan: { offer: { requestId: expect.any(String) } } });
    expect(landedOf(answer).spent).toBe(answer.plan!.amount);
    const landed = (await world.sandbox.transactions(agent.address)).filter(({ err }) => err === null);
    expect(landed).toHaveLength(Object.keys(funds).length + 1); // the faucet's, and one of the agent
    await eventually(() => world.policy.outcomeOf(call.operationId) === policyV1.Outcome.OUTCOME_SETTLED);
    expect(world.signer.signed.size).toBe(signedBefore + 1);
    expect((await world.published(call.operationId)).map(({ revision }) => revision)).toEqual([1, 2, 3]);
  });
});
