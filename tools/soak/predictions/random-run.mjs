// A seeded random run over the whole of prediction markets, with full sums in between.
import { Random } from '../random.mjs';
import { attributeOperatorsMoney, fullSums, openReconcile } from './full-sums.mjs';
import { MarketSimulator } from './market-floor.mjs';
import { Outages } from './outages.mjs';
import { Trader } from './trader.mjs';

const START_USD = 300;
const ROUND = 100;
/** Steps of all agents for one event of the markets, and for one that ends. */
const STEPS_A_MOVE = 2;
const STEPS_A_SETTLEMENT = 30;
/** One of them is held to so little by its policy. */
const SINGLE_LIMIT_USD = 12;

/**
 * Lets agents buy, sell and withdraw while markets move and end, services are killed and the exchange and the chain
 * fail. After every step an agent's money must be what its answers add up to; after every hundred operations everything
 * must add up.
 * @param query reads the product's database as its superuser; `quiet` waits until nothing is under way
 * @param dropsIn in one of so many rounds a transaction is lost, which takes a minute
 * @throws Error with the seed and the step at the first thing that does not hold
 */
export async function randomRun({
  deployment,
  ledger: { query, quiet },
  seed,
  operations,
  agents = 16,
  markets = 12,
  dropsIn,
  tell = () => {},
}) {
  const run = { steps: 0, operations: 0, settlements: 0, failure: undefined };
  const random = new Random(seed);
  const floor = new MarketSimulator({ sandbox: deployment.sandbox, random: new Random(seed + 1), name: `R${seed}` });
  const outages = new Outages({ deployment, random: new Random(seed + 2), dropsIn });
  const reconcile = await openReconcile(deployment);
  try {
    const [traders] = await Promise.all([
      openTraders({ deployment, floor, seed, count: agents }),
      attributeOperatorsMoney(reconcile),
      floor.open(markets),
    ]);
    const sums = () => fullSums({ deployment, query, traders, floor, reconcile: reconcile.ask });
    while (run.operations < operations) {
      await round({ run, traders, floor, outages, random, upTo: Math.min(run.operations + ROUND, operations) });
      if (run.failure) throw run.failure;
      await deployment.sandbox.disarm();
      await quiet();
      const wrong = await sums();
      if (wrong.length > 0) throw new Error(wrong.join('\n'));
      tell(`${run.operations} operations, ${run.settlements} settlements: everything adds up`);
    }
    return { ...run, counts: sumsOf(traders.map(({ counts }) => counts)), outages: outages.done };
  } catch (error) {
    throw new Error(`seed ${seed}, after step ${run.steps} and ${run.operations} operations: ${error.message}`, {
      cause: error,
    });
  } finally {
    reconcile.close();
  }
}

/** All agents at once until so many operations are done, while something goes wrong. */
async function round({ run, traders, floor, outages, random, upTo }) {
  const from = run.operations;
  const isOver = () => run.operations >= upTo || run.failure !== undefined;
  const live = async (trader) => {
    while (!isOver()) {
      await disturb({ run, floor, random });
      const done = await trader.step();
      run.operations += done;
      run.steps += 1;
    }
  };
  const noting = (work) => work.catch((error) => void (run.failure ??= error));
  const troubled = outages.during({ operations: upTo - from, doneOf: () => run.operations - from, isOver });
  let isOpen = true;
  const time = noting(outages.keepTime(() => !isOpen));
  await Promise.all([troubled, ...traders.map(live)].map(noting));
  isOpen = false;
  await time;
}

async function disturb({ run, floor, random }) {
  if (random.oneIn(STEPS_A_MOVE)) await floor.move();
  if (random.oneIn(STEPS_A_SETTLEMENT)) {
    await floor.settle();
    run.settlements += 1;
  }
}

async function openTraders({ deployment, floor, seed, count }) {
  const traders = [];
  for (let i = 0; i < count; i += 1) {
    const agent = await deployment.agent({ SOL: 1, USDC: START_USD });
    const singleLimitUsd = i === 0 ? SINGLE_LIMIT_USD : undefined;
    const limits = { maxSingleTransactionInUsd: singleLimitUsd ?? 100_000, dailyLimitInUsd: 1_000_000 };
    const { status } = await agent.patchPolicy(limits);
    if (status !== 200) throw new Error(`the policy was not changed: ${status}`);
    const random = new Random(seed + 1_000 + i);
    traders.push(new Trader({ agent, deployment, floor, random, startUsd: START_USD, singleLimitUsd }));
  }
  return traders;
}

function sumsOf(all) {
  const sums = {};
  for (const counts of all) {
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}
