// Benchmark: trades on a chain with slots, against a client that signs whatever the aggregator gives it.
import { Checks } from '../measure/checks.mjs';
import { counted, figure } from '../measure/figure.mjs';
import { compare, inPairs } from '../measure/pairs.mjs';
import { median, percentile } from '../measure/statistics.mjs';
import { openLedgers } from '../transfers/ledgers.mjs';
import { profileAll } from '../transfers/profile.mjs';
import { capacityOf } from '../transfers/rounds.mjs';
import { processTable } from '../transfers/tables.mjs';
import { openWorld } from '../world.mjs';
import { audit, takeStock } from './audit.mjs';
import { BareTrader } from './bare-trader.mjs';
import { costOfCheck } from './check-cost.mjs';
import { bareRound, idleCpu, productRound } from './rounds.mjs';
import { TradeTraffic } from './trade-traffic.mjs';

const SLOT_MS = 400;
/** More than trade at once: a wallet that trades twice at once is simulated again. */
const AGENTS = 100;
const CALLERS = 64;
/** Of trades a second: beyond it two cores are busy with client and sandbox, too. */
const MOST_PER_SECOND = 30;
/** Swap checks the bytes before it asks for a permit, the signer before it signs. */
const CHECKS_A_TRADE = 2;

const LONG = { warmUpMs: 15_000, capacityMs: 6_000, roundMs: 15_000, idleMs: 10_000, checkMs: 500 };
const QUICK = { warmUpMs: 5_000, capacityMs: 3_000, roundMs: 5_000, idleMs: 5_000, checkMs: 200 };

/** Latency of trades at half load, open loop, until confirmed, both sides at the same pace; and CPU. */
export async function measureTrades({ pairs, isQuick, profilePath }) {
  const times = isQuick ? QUICK : LONG;
  const check = await costOfCheck({ rounds: pairs, roundMs: times.checkMs });
  const world = await openWorld({ agents: AGENTS, slotMs: SLOT_MS });
  const bare = await BareTrader.open(world.deployment);
  const ground = { world, bare, ledgers: openLedgers(world.deployment), traffic: new TradeTraffic(world) };
  const stock = await takeStock(ground);
  const capacity = await capacityOf(ground, { callers: CALLERS, ...times });
  const pace = { ratePerSecond: Math.min(capacity / 2, MOST_PER_SECOND), roundMs: times.roundMs };
  ground.idle = await idleCpu(times.idleMs);
  console.log(`  ${capacity.toFixed(0)} trades a second at most; measured at ${pace.ratePerSecond.toFixed(0)}`);
  const measured = await inPairs({
    pairs,
    limit: () => bareRound(bare, pace),
    product: () => productRound(ground, pace),
    numberOf: latency(0.5),
  });
  const profiles = profilePath ? await profileAll({ ...ground, directory: profilePath }) : [];
  const checks = new Checks();
  await audit({ ...ground, stock, checks });
  return resultOf({ measured, capacity, pace, pairs, check, ground, profiles, checks });
}

const latency = (share) => (round) => percentile(round.latencies, share);

function resultOf({ measured, capacity, pace, pairs, check, ground: { traffic, bare }, profiles, checks }) {
  const cpu = compare(measured, ({ cpuUs }) => cpuUs);
  const all = compare(measured, ({ cpuUs, sandboxUs }) => cpuUs + sandboxUs);
  const checking = { product: CHECKS_A_TRADE * check.known, limit: cpu.product };
  const unit = 'µs of CPU';
  return {
    name: 'trades',
    notes:
      `slots of ${SLOT_MS} ms, ${pace.ratePerSecond.toFixed(0)} trades a second of ${capacity.toFixed(0)} possible, ` +
      `${pairs} pairs, ${traffic.accepted} trades and ${bare.accepted} bare ones, until confirmed`,
    figures: [
      figure('latency, p50', measured, { unit: 'ms' }),
      figure('latency, p99', compare(measured, latency(0.99)), { unit: 'ms', aim: { atMost: 1.25 } }),
      figure('CPU of a trade, services and Postgres, against the bare client', cpu, { unit }),
      figure('the same with the sandbox on both sides', all, { unit }),
      counted('checkSwapMessage, each', Math.round(check.known), { unit }),
      counted('the same for a wallet whose token accounts are not kept', Math.round(check.first), { unit }),
      figure(
        'both checks of a trade against its CPU',
        { ...checking, ratio: checking.product / checking.limit },
        { unit },
      ),
    ],
    capacity: { perSecond: capacity },
    undecided: traffic.undecided,
    tables: [latencyTable(measured), processTable(measured.productRounds, 'a trade'), ...profiles],
    checks: checks.all,
  };
}

function latencyTable({ limitRounds, productRounds }) {
  const speed = (rounds) => [0.05, 0.5, 0.9, 0.99].map((share) => median(rounds.map(latency(share))));
  const rows = [
    ['', 'p5', 'p50', 'p90', 'p99'],
    ['bare client', ...speed(limitRounds)],
    ['product', ...speed(productRounds)],
  ];
  return { title: 'latency, ms', rows };
}
