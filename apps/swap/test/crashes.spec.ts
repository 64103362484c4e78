import { policyV1 } from '@agent-wallet/contracts';
import { casesOf, eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { CheckpointPoint } from '@agent-wallet/operations';
import { landedOf, SwapWorld, type WrittenTrade } from './world.js';

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

/** Each is tested by itself in libs/operations, so that the gate has each here with one trade, or with a few. */
const PLACES: readonly CheckpointPoint[] = [
  'after-build',
  'after-reservation',
  'after-signing',
  'after-persisting',
  'after-broadcast',
  'after-landing',
  'before-answering',
];

interface Trade {
  readonly by: string;
  readonly isMakers: boolean;
  readonly funds?: Readonly<Record<string, number>>;
  readonly order: WrittenTrade;
  /** Places that the gate tries. */
  readonly gate: readonly CheckpointPoint[];
}

const TRADES: readonly Trade[] = [
  {
    by: 'a route',
    isMakers: false,
    order: { from: 'USDC', to: 'WIF', amount: '20' },
    gate: ['after-build', 'after-broadcast', 'after-landing'],
  },
  {
    by: 'a route out of the native coin',
    isMakers: false,
    order: { from: 'SOL', to: 'WIF', amount: '0.2' },
    gate: ['after-persisting'],
  },
  {
    by: 'a route that a sponsor pays for',
    isMakers: false,
    funds: { USDC: 100 },
    order: { from: 'USDC', to: 'SOL', amount: '20' },
    gate: ['after-signing'],
  },
  {
    by: "a maker's price",
    isMakers: true,
    order: { from: 'USDC', to: 'SOL', amount: '20' },
    gate: ['after-reservation', 'after-broadcast', 'before-answering'],
  },
];

describe.each(TRADES)(
  'a copy that trades by $by and dies',
  ({ isMakers, order, gate, funds = { SOL: 1, USDC: 100 } }) => {
    it.each(casesOf(PLACES, { gate }))(
      '%s leaves a trade that another one finishes, with one effect',
      async (place) => {
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
      },
    );
  },
);
