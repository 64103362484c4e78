import { expect } from '@jest/globals';
import type { DepositWorld, TestAgent } from './world.js';

/** Ten deposits in SOL and one in USDC, each of another amount, at the same time. */
export async function makeDeposits({ sandbox }: DepositWorld, agent: TestAgent): Promise<void> {
  await Promise.all([
    ...Array.from({ length: 10 }, (_, i) => sandbox.faucet(agent.address, 'SOL', (i + 1) / 1_000)),
    sandbox.faucet(agent.address, 'USDC', 1.5),
  ]);
}

const EXPECTED = [
  '1500000 USDC confirmed',
  ...Array.from({ length: 10 }, (_, i) => `${(i + 1) * 1_000_000} SOL confirmed`),
].sort();

/** Each of those is published once, with its amount, and nothing else is. */
export async function expectAllOnce(world: DepositWorld, agent: TestAgent): Promise<void> {
  await world.confirmed(agent, EXPECTED.length);
  await world.quiet(agent);
  const shown = await world.shown(agent);
  expect(shown.map(({ amount, asset, status }) => `${amount} ${asset} ${status}`).sort()).toEqual(EXPECTED);
}
