// Benchmark: transfers from the public API to the record.
import { Checks } from '../measure/checks.mjs';
import { figure } from '../measure/figure.mjs';
import { inPairs } from '../measure/pairs.mjs';
import { median, percentile } from '../measure/statistics.mjs';
import { costOfParts, openParts } from '../parts/open-parts.mjs';
import { openWorld } from '../world.mjs';
import { audit, takeStock } from './audit.mjs';
import { openLedgers } from './ledgers.mjs';
import { profileAll } from './profile.mjs';
import { fullRound, steadyRound } from './rounds.mjs';
import { partTable, processTable, speedTable } from './tables.mjs';
import { CALLERS, Traffic } from './traffic.mjs';

const AGENTS = 200;

/** Just-in-time compilers need thousands of calls: on a slow machine that takes as many, and longer. */
const LONG = { warmUpCalls: 8_000, roundMs: 8_000, partMs: 1_000, steadyMs: 10_000 };
const QUICK = { warmUpCalls: 1_000, roundMs: 3_000, partMs: 400, steadyMs: 3_000 };

/** CPU of a transfer over all processes against the sum of its bare parts; throughput and latency beside it. */
export async function measureTransfers({ pairs, isQuick, profilePath }) {
  const times = isQuick ? QUICK : LONG;
  const world = await openWorld({ agents: AGENTS });
  const ground = { world, ledgers: openLedgers(world.deployment), traffic: new Traffic(world) };
  const stock = await takeStock(world);
  const { eventsPerTransfer } = await fullRound(ground, { calls: times.warmUpCalls });
  await ground.ledgers.analyze();
  const parts = await openParts({ infrastructure: world.deployment.infrastructure, eventsPerTransfer });
  const measured = await inPairs({
    pairs,
    limit: () => costOfParts(parts, times.partMs),
    product: () => fullRound(ground, { durationMs: times.roundMs }),
    numberOf: ({ cpuUs }) => cpuUs,
  });
  const alone = await costOfParts(parts, times.partMs, { callers: 1 });
  const speed = await measureSpeed(ground, measured.productRounds, times.steadyMs);
  const profiles = profilePath ? await profileAll({ ...ground, directory: profilePath }) : [];
  const checks = new Checks();
  await audit({ ...ground, stock, checks });
  const tables = [
    partTable(parts, measured.limitRounds, alone),
    processTable(measured.productRounds),
    speedTable(speed),
  ];
  return {
    name: 'transfers',
    notes: `${CALLERS} callers over ${AGENTS} agents, ${pairs} pairs, ${ground.traffic.accepted} transfers`,
    figures: [
      figure('CPU of a transfer against its bare parts', measured, { unit: 'µs', aim: { atMost: 2.5 } }),
      figure('the same against those parts one call at a time', against(alone, measured), { unit: 'µs' }),
    ],
    ...speed,
    tables: [...tables, ...profiles],
    checks: checks.all,
  };
}

/** The product's rounds against a limit that was measured once. */
function against({ cpuUs }, { productRounds }) {
  const products = productRounds.map((round) => round.cpuUs);
  const ratios = products.map((product) => product / cpuUs);
  return { limit: cpuUs, product: median(products), ratio: median(ratios), ratios };
}

/** Told, never judged. */
async function measureSpeed(ground, rounds, durationMs) {
  const rate = median(rounds.map(({ ratePerSecond }) => ratePerSecond));
  const latencies = await steadyRound(ground, rate / 2, durationMs);
  return {
    throughput: { perSecond: rate },
    latency: { perSecond: rate / 2, p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99) },
  };
}
