import { isNightly, testSeed } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentClient, ClientResponse, LiquidityPool } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { doneOf, exactly, poolAddress, poolOf, withoutLimits } from './harness/liquidity.js';
import { random } from './harness/random.js';
import { holdingsOf, MINTS } from './harness/trading.js';

// Two agents and the market maker in one pool, in an order that a seed decides.

const STEPS = isNightly ? 1_000 : 40;
const SEED = testSeed();
const POOL = poolAddress(MINTS.SOL, MINTS.USDC, 1);

let deployment: Deployment;

beforeAll(async () => {
  deployment = await shareDeployment({ copies: 2 });
});

/** Puts the pool back to the prices of the other tests. */
afterAll(() => deployment.sandbox.changePool(POOL, { skewPercent: 0 }));

/** Reports whether a share of one pool is worth no less than a share of the other was, at any prices. */
function holdsItsValue(before: LiquidityPool, after: LiquidityPool): boolean {
  const product = ({ reserves }: LiquidityPool) => BigInt(reserves[0]) * BigInt(reserves[1]);
  return product(after) * BigInt(before.lpSupply) ** 2n >= product(before) * BigInt(after.lpSupply) ** 2n;
}

/** Either what was done, or a refusal for which the amounts are too odd. */
type Step = (agent: AgentClient) => Promise<string>;

class Sequence {
  readonly #next = random(SEED);

  constructor(private readonly agents: readonly [AgentClient, AgentClient]) {}

  /** Runs a step of one of the two agents or of the market maker; returns its name. */
  async step(): Promise<string> {
    const which = this.#next(2) as 0 | 1;
    const steps: readonly Step[] = [this.#add, this.#remove, this.#swap, this.#add];
    const [agent, other] = [this.agents[which], this.agents[1 - which]!];
    const before = [await poolOf(deployment, POOL), await holdingsOf(deployment, other)] as const;
    const own = await holdingsOf(deployment, agent);
    const name = await steps[this.#next(steps.length)]!(agent);
    expect(await holdingsOf(deployment, other)).toEqual(before[1]);
    if (name !== 'added' && name !== 'removed') expect(await holdingsOf(deployment, agent)).toEqual(own);
    expect([name, holdsItsValue(before[0], await poolOf(deployment, POOL))]).toEqual([name, true]);
    return name;
  }

  readonly #add: Step = async (agent) => {
    const isSol = this.#next(2) === 0;
    const slippageBps = [1, 30, 100, 1_000][this.#next(4)]!;
    const amount = isSol ? (1 + this.#next(1_000_000_000)) / 1e10 : (1 + this.#next(20_000_000)) / 1e6;
    const most = this.#next(3) === 0 ? { maxOtherAmount: isSol ? 9.5 : 0.07 } : {};
    const order = { pool: POOL, token: isSol ? 'SOL' : 'USDC', amount, slippageBps, ...most };
    return this.#done('added', agent, () => agent.addLiquidity(order));
  };

  readonly #remove: Step = async (agent) => {
    const percent = [0.01, 1 + this.#next(99), 1 + this.#next(99), 100][this.#next(4)]!;
    const slippageBps = [1, 50, 1_000][this.#next(3)]!;
    return this.#done('removed', agent, () => agent.removeLiquidity({ positionId: POOL, percent, slippageBps }));
  };

  readonly #swap: Step = async () => {
    const isSol = this.#next(2) === 0;
    const amountRaw = String(1 + this.#next(isSol ? 400_000_000 : 60_000_000));
    await deployment.sandbox.swapInPool(POOL, isSol ? MINTS.SOL : MINTS.USDC, amountRaw);
    return 'swapped';
  };

  async #done(
    name: string,
    agent: AgentClient,
    ask: () => ReturnType<AgentClient['addLiquidity'] | AgentClient['removeLiquidity']>,
  ): Promise<string> {
    let refusal = '';
    const asking = async () => {
      const answer = (await ask()) as ClientResponse<never>;
      if (answer.status === 400) refusal = (answer.body.data as { readonly code: string }).code;
      return answer;
    };
    const done = exactly({ deployment, agent, pool: POOL }, asking).then(() => name);
    return done.catch((error: unknown) => {
      if (refusal === '') throw error;
      return refusal;
    });
  }
}

describe(`${STEPS} additions, removals and swaps of others in the order of seed ${SEED}`, () => {
  it('move exactly what is answered, in the accounts of the one who asked, and take nothing from a share', async () => {
    const funds = { SOL: 30, USDC: 5_000 };
    const agents = [await deployment.agent(funds), await deployment.agent(funds)] as const;
    await Promise.all(agents.map(withoutLimits));
    const bystander = await deployment.agent(funds);
    doneOf(await bystander.addLiquidity({ pool: POOL, token: 'USDC', amount: 40 }));
    const theirs = await holdingsOf(deployment, bystander);
    const first = await poolOf(deployment, POOL);
    const sequence = new Sequence(agents);
    const counts: Record<string, number> = {};
    for (let n = 0; n < STEPS; n += 1) {
      const name = await sequence.step();
      counts[name] = (counts[name] ?? 0) + 1;
    }
    expect(Object.keys(counts).sort()).toEqual(expect.arrayContaining(['added', 'removed', 'swapped']));
    const known = ['added', 'removed', 'swapped', 'INSUFFICIENT_POSITION', 'VALIDATION_ERROR', 'POOL_PRICE_DEVIATES'];
    expect(Object.keys(counts).filter((name) => !known.includes(name))).toEqual([]);
    expect(counts['added']! + counts['removed']!).toBeGreaterThan(STEPS / 3);
    for (const agent of agents) await agent.removeLiquidity({ positionId: POOL, percent: 100 });
    expect(await holdingsOf(deployment, bystander)).toEqual(theirs);
    expect((await poolOf(deployment, POOL)).lpSupply).toBe(first.lpSupply);
    expect(holdsItsValue(first, await poolOf(deployment, POOL))).toBe(true);
  });
});
