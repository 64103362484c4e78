// Benchmark: purchases of contracts from the public API to the refund, against what they cannot do without.
import { Checks } from '../measure/checks.mjs';
import { cpuRound } from '../measure/cpu-round.mjs';
import { counted, figure } from '../measure/figure.mjs';
import { compare, inPairs } from '../measure/pairs.mjs';
import { openBenchDatabase } from '../parts/bench-database.mjs';
import { costOfParts } from '../parts/open-parts.mjs';
import { productProcess } from '../process-names.mjs';
import { openLedgers } from '../transfers/ledgers.mjs';
import { profileAll } from '../transfers/profile.mjs';
import { fullRound } from '../transfers/rounds.mjs';
import { processTable } from '../transfers/tables.mjs';
import { CALLERS } from '../transfers/traffic.mjs';
import { openWorld } from '../world.mjs';
import { audit, takeStock } from './audit.mjs';
import { BareBuyer } from './bare-buyer.mjs';
import { openBareWorld } from './bare-world.mjs';
import { BuyTraffic } from './buy-traffic.mjs';
import { openMarkets } from './markets.mjs';
import { openServiceParts } from './service-parts.mjs';

const AGENTS = 100;
/** The exchange's own ceiling would be measured otherwise. */
const TIER = 'prime';
/** Transactions that write, by the numbers that they take. */
const WRITES = 'select pg_snapshot_xmax(pg_current_snapshot())::text';

/** Just-in-time compilers need thousands of calls. */
const LONG = { warmUpCalls: 3_000, roundMs: 10_000, partMs: 1_000 };
const QUICK = { warmUpCalls: 300, roundMs: 4_000, partMs: 400 };

/** Purchases a second as fast as they go on both sides, in turns. */
export async function measureBuys({ pairs, isQuick, profilePath }) {
  const times = isQuick ? QUICK : LONG;
  const environment = { TREASURY_PAYOUT_DAILY_LIMIT_USD: '10000000' };
  const world = await openWorld({ agents: AGENTS, exchangeTier: TIER, environment });
  world.tickers = await openMarkets(world.deployment.sandbox);
  const ground = { world, ledgers: openLedgers(world.deployment), traffic: new BuyTraffic(world) };
  const stock = await takeStock(ground);
  const commits = await commitsOf(ground, times.warmUpCalls);
  await ground.ledgers.analyze();
  const database = await openBenchDatabase(world.deployment.infrastructure.postgres);
  const parts = await openServiceParts({ infrastructure: world.deployment.infrastructure, database, commits });
  ground.bare = await BareBuyer.open({ world: await openBareWorld(TIER), database, wallets: AGENTS, commits });
  const measured = await inPairs({
    pairs,
    limit: () => bareRound({ ...ground, parts }, times),
    product: () => fullRound(ground, { durationMs: times.roundMs }),
    numberOf: ({ ratePerSecond }) => ratePerSecond,
  });
  const profiles = profilePath ? await profileAll({ ...ground, directory: profilePath }) : [];
  const checks = new Checks();
  await audit({ ...ground, stock, checks });
  const { accepted } = ground.traffic;
  const cpu = compare(measured, ({ cpuUs }) => cpuUs);
  const served = compare(measured, ({ cpuUs, partsUs = 0 }) => cpuUs + partsUs);
  return {
    name: 'buys',
    notes:
      `${CALLERS} callers over ${AGENTS} agents, ${pairs} pairs, ${accepted} purchases and ${ground.bare.accepted} bare ` +
      'ones: the same commits, two transactions, an order and its fills',
    figures: [
      figure('purchases a second against the bare commits, chain and exchange calls', measured, {
        unit: 'a second',
        aim: { atLeast: 0.4 },
      }),
      figure('CPU of a purchase, with the sandbox and Postgres on both sides', cpu, { unit: 'µs of CPU' }),
      figure('the same with its calls between services and its other statements on the bare side', served, {
        unit: 'µs of CPU',
      }),
      counted('commits of a purchase', commits, { unit: 'in all' }),
    ],
    tables: [processTable(measured.productRounds, 'a purchase'), ...profiles],
    checks: checks.all,
  };
}

/** How many transactions that write a purchase makes; the compilers are warm afterwards. */
async function commitsOf({ traffic, ledgers }, calls) {
  const before = await ledgers.number(WRITES);
  await fullRound({ traffic, ledgers }, { calls });
  return Math.round(((await ledgers.number(WRITES)) - before) / calls);
}

/** The client runs in this process. `partsUs`: what the parts that it is spared cost a purchase. */
async function bareRound({ bare, parts }, { roundMs: durationMs, partMs }) {
  const call = () => bare.buy();
  const round = await cpuRound({ callers: CALLERS, durationMs, call, nameOf: ofBare, countsUs: true });
  return { ...round, partsUs: (await costOfParts(parts, partMs)).cpuUs };
}

/** Postgres' backends for the client are the superuser's. */
function ofBare(process) {
  const name = productProcess(process);
  return name === 'sandbox' || name === 'postgres itself' ? name : undefined;
}
