import { swapV1 } from '@agent-wallet/contracts';
import { baseUnits } from '@agent-wallet/kernel';
import { expect, it } from '@jest/globals';
import type { LiquidityPlan } from '../../domain/liquidity/liquidity.js';
import { liquidityFacts } from './liquidity-plans.js';

const side = (symbol: string, quoted: bigint) => ({
  token: { mint: `${symbol} mint`, symbol, decimals: 6, tokenProgram: 'program' },
  ...{ quoted: baseUnits(quoted), bound: baseUnits(quoted + 1n) },
});

const PLAN: LiquidityPlan = {
  ...{ wallet: 'wallet', pool: 'pool', config: 'config', lpMint: 'lp' },
  sides: [side('A', 10n), side('B', 20n)],
  ...{ liquidity: baseUnits(7n), held: baseUnits(3n), rentLamports: baseUnits(1n), feeLamports: baseUnits(2n) },
};

const REQUEST = { pool: 'pool', slippageBps: 50 };

const sent = (facts: swapV1.LiquidityFacts) =>
  swapV1.LiquidityFacts.decode(swapV1.LiquidityFacts.encode(facts).finish());

it('facts of an addition to a position that is smaller than it can be sent', () => {
  const facts = liquidityFacts('liquidity_add', REQUEST, PLAN);
  expect(sent(facts)).toEqual({ ...facts, liquidity: 7n, remaining: 0n });
});

it('facts of a removal name what remains, and what really moved once it has landed', () => {
  const landed = [baseUnits(9n), baseUnits(19n)];
  const facts = liquidityFacts('liquidity_remove', REQUEST, { ...PLAN, held: baseUnits(10n), landed });
  expect(sent(facts)).toMatchObject({ remaining: 3n, tokens: [{ amount: 9n, bound: 11n }, { amount: 19n }] });
});

it('facts without a plan are those of the request', () => {
  const facts = liquidityFacts('liquidity_remove', REQUEST, undefined);
  expect(sent(facts)).toMatchObject({ pool: 'pool', slippageBps: 50, tokens: [], remaining: 0n });
});
