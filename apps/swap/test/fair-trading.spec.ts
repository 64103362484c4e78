import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { refusalOf, SwapWorld } from './world.js';

const ALLOWANCE = { requestsPerMinute: 60 };
const ORDER = { from: 'USDC', to: 'SOL', amount: '1' };

let world: SwapWorld;

beforeAll(async () => {
  world = await SwapWorld.open(50);
});
afterAll(() => world?.close());

it('trades of an agent go through beside 28 dry runs each of four others, at two replicas', async () => {
  const copies = [world.copy(ALLOWANCE), world.copy(ALLOWANCE)] as const;
  const funds = { SOL: 1, USDC: 50 };
  const [victim, ...others] = await Promise.all(Array.from({ length: 5 }, () => world.agent(funds)));
  const dryRuns = others.flatMap((agent, i) =>
    Array.from({ length: 28 }, () =>
      refusalOf(copies[i % 2]!.dryRun.execute(agent.agentId, world.call(agent, ORDER).request)).then(
        ({ code }) => code as string,
        () => 'answered',
      ),
    ),
  );
  for (let i = 0; i < 9; i++) {
    expect(await copies[i % 2]!.trade.execute(world.call(victim!, ORDER))).toMatchObject({ isConfirmed: true });
  }
  const results = await Promise.all(dryRuns);
  expect(new Set(results)).toEqual(new Set(['answered', 'SERVICE_UNAVAILABLE']));
  // Half of the allowance, less what the tokens' warnings took.
  expect(results.filter((result) => result === 'answered').length).toBeGreaterThanOrEqual(20);
});
