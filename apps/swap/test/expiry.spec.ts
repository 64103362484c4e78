import { policyV1 } from '@agent-wallet/contracts';
import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { API_KEY, refusalOf, SwapWorld } from './world.js';

/** 150 slots are the life of a message: six seconds here, of which a test waits for all. */
const SLOT_MS = 40;

let world: SwapWorld;

beforeAll(async () => {
  world = await SwapWorld.open(SLOT_MS);
});
afterEach(async () => {
  await world.sandbox.disarm();
  await world.stopCopies();
  expect(world.lines).not.toContain(API_KEY);
});
afterAll(() => world?.close());

const rich = () => world.agent({ SOL: 1, USDC: 100 });

describe('after the first post of signed bytes only the chain decides', () => {
  const released = async (operationId: string) =>
    eventually(() => world.policy.outcomeOf(operationId) === policyV1.Outcome.OUTCOME_EXPIRED);

  it('what the aggregator never lands expires, and is released then', async () => {
    const { trade } = world.copy();
    const agent = await rich();
    await world.sandbox.arm('failedToLand', { times: 99 });
    const call = world.call(agent, { from: 'USDC', to: 'WIF', amount: '20' });
    const early = await trade.execute({ ...call, waitMs: 2_000 });
    expect(early).toMatchObject({ isConfirmed: false, signature: expect.anything() });
    expect(world.policy.open).toBeGreaterThan(0);
    expect((await refusalOf(trade.execute(call))).code).toBe('TRANSACTION_EXPIRED');
    await released(call.operationId);
    expect((await world.holdings(agent, 'USDC'))[0]).toBe(100_000_000n);
  });

  it('a maker that refuses in its final check has moved nothing, which is reported once proven', async () => {
    const { trade } = world.copy(await world.makersOnly());
    const agent = await rich();
    await world.sandbox.arm('slippage', { times: 99, match: { path: '/swap/v2/execute' } });
    const call = world.call(agent, { from: 'USDC', to: 'SOL', amount: '20' });
    expect(await trade.execute({ ...call, waitMs: 2_000 })).toMatchObject({ isConfirmed: false, signature: undefined });
    expect((await refusalOf(trade.execute(call))).code).toBe('SLIPPAGE_EXCEEDED');
    expect((await world.holdings(agent, 'USDC'))[0]).toBe(100_000_000n);
    await released(call.operationId);
  });
});
