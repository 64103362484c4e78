// CPU of a request over all services and Postgres, as fast as it goes, until all of it is settled and recorded.
import { Checks } from '../measuring/checks.mjs';
import { costOfParts } from './bare/parts.mjs';
import { openLedgers } from './ledgers.mjs';
import { counted, figure, inPairs, median, percentile } from './measure/pairs.mjs';
import { partTable, processTable } from './report.mjs';
import { fullRound, steadyRound } from './traffic/rounds.mjs';
import { CALLERS } from './traffic/traffic.mjs';

/** Services close connections that rest while bare parts are measured: a round does not pay for new ones. */
const AWAKE_CALLS = 4 * CALLERS;

/**
 * `Traffic` is what is sent in the world, `takeStock` and `audit` what is checked of it; `what` one request is called.
 * `openParts(deployment)`, if given, opens the bare parts that it is compared with.
 * `--against` holds it against another commit.
 */
export async function measureCosts({ world, Traffic, takeStock, audit, what, times, openParts }, rounds) {
  const ground = { world, ledgers: openLedgers(world.deployment), traffic: new Traffic(world) };
  const stock = await takeStock(world);
  // Just-in-time compilers need thousands of calls: on a slow machine that takes as many, and longer.
  await fullRound(ground, { calls: times.warmUpCalls });
  await ground.ledgers.analyze();
  const parts = await openParts?.(world.deployment);
  const { found, against } = await (parts ? measurePairs : measureAlone)({ ground, what, times, parts }, rounds);
  const rate = median(found.map(({ ratePerSecond }) => ratePerSecond));
  const latencies = await steadyRound(ground, rate / 2, times.roundMs);
  const checks = new Checks();
  await audit({ ...ground, stock, checks });
  const at = (share) => Math.round(percentile(latencies, share));
  return {
    notes: `${CALLERS} callers over ${world.agents.length} agents, ${rounds} rounds, ${ground.traffic.accepted} in all`,
    figures: [
      ...against.figures,
      counted(`CPU of ${what}`, Math.round(median(found.map(({ cpuUs }) => cpuUs))), { unit: 'µs' }),
      counted('as fast as it goes', Math.round(rate), { unit: 'a second' }),
      counted('latency at half of that, p50', at(0.5), { unit: 'ms' }),
      counted('latency at half of that, p99', at(0.99), { unit: 'ms' }),
    ],
    tables: [...against.tables, processTable(found, what)],
    checks: checks.all,
  };
}

async function measureAlone({ ground, times }, rounds) {
  const found = [];
  for (let i = 0; i < rounds; i += 1) {
    found.push(await fullRound(ground, { durationMs: times.roundMs }));
    console.log(`  round ${i + 1} of ${rounds}: ${found[i].cpuUs.toFixed(0)} µs`);
  }
  return { found, against: { figures: [], tables: [] } };
}

/** The same by turns with the bare parts. */
async function measurePairs({ ground, what, times, parts }, pairs) {
  const limit = () => costOfParts(parts, times.partMs);
  const product = async () => {
    await fullRound(ground, { calls: AWAKE_CALLS });
    return fullRound(ground, { durationMs: times.roundMs });
  };
  const measured = await inPairs({ pairs, limit, product, warmUp: [limit], numberOf: ({ cpuUs }) => cpuUs });
  const figures = [figure(`CPU of ${what} against its bare parts`, measured, { unit: 'µs' })];
  const tables = [partTable(parts, measured.limitRounds, what)];
  return { found: measured.productRounds, against: { figures, tables } };
}
