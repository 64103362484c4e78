import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { buyToTheEnd } from './saga-checks.js';
import { SagaWorld } from './saga-world.js';

const NOTE = { operator: 'ann', reason: 'the exchange says that there is none' };

let world: SagaWorld;

beforeAll(async () => {
  world = await SagaWorld.open();
});

beforeEach(() => world.calm());

afterEach(() => world.stopCopies());

afterAll(() => world.close());

/** Gives the order up as soon as it is one that the exchange said it has and does not show. */
async function abandon(operationId: string): Promise<void> {
  await eventually(async () => (await world.abandoned.abandon(operationId, NOTE)) !== 'no_such_order');
}

it('an order that the exchange never shows is abandoned by an operator, and everything goes back', async () => {
  world.exchange.moods.push('claimed');
  const call = world.buyCall(world.agent());
  const [{ error }] = await Promise.all([buyToTheEnd(world, world.copy(), call), abandon(call.operationId)]);
  expect(error?.code).toBe('SERVICE_UNAVAILABLE');
  expect(world.wallet.landed(call.operationId, 3)).toHaveLength(1);
});

it('an order that shows itself after all is posted, abandoned or not', async () => {
  world.exchange.moods.push('hidden');
  world.exchange.lagMs = 60_000; // nothing that it does not show means anything
  const call = world.buyCall(world.agent());
  const shown = abandon(call.operationId).then(() => {
    world.exchange.lagMs = 0;
    world.exchange.show();
  });
  const [{ answer }] = await Promise.all([buyToTheEnd(world, world.copy(), call), shown]);
  expect(answer).toMatchObject({ isConfirmed: true, order: { status: 'filled' } });
});

it('is abandoned once, and no other order can be', async () => {
  world.exchange.moods.push('claimed');
  const call = world.buyCall(world.agent());
  const bought = buyToTheEnd(world, world.copy(), call);
  await abandon(call.operationId);
  expect(['already', 'no_such_order']).toContain(await world.abandoned.abandon(call.operationId, NOTE));
  await bought;
  const other = world.buyCall(world.agent());
  await buyToTheEnd(world, world.copy(), other);
  expect(await world.abandoned.abandon(other.operationId, NOTE)).toBe('no_such_order');
});
