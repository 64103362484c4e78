// CPU of a request over all services and Postgres, as fast as it goes, until all of it is settled and recorded.
import { Checks } from '../checks.mjs';
import { openLedgers } from './ledgers.mjs';
import { counted, median, percentile } from './measure/pairs.mjs';
import { processTable } from './report.mjs';
import { fullRound, steadyRound } from './traffic/rounds.mjs';
import { CALLERS } from './traffic/traffic.mjs';

/**
 * `Traffic` is what is sent in the world, `takeStock` and `audit` what is checked of it; `what` one request is called.
 * `--against` holds it against another commit.
 */
export async function measureCosts({ world, Traffic, takeStock, audit, what, times }, rounds) {
  const ground = { world, ledgers: openLedgers(world.deployment), traffic: new Traffic(world) };
  const stock = await takeStock(world);
  // Just-in-time compilers need thousands of calls: on a slow machine that takes as many, and longer.
  await fullRound(ground, { calls: times.warmUpCalls });
  await ground.ledgers.analyze();
  const found = [];
  for (let i = 0; i < rounds; i += 1) {
    found.push(await fullRound(ground, { durationMs: times.roundMs }));
    console.log(`  round ${i + 1} of ${rounds}: ${found[i].cpuUs.toFixed(0)} µs`);
  }
  const rate = median(found.map(({ ratePerSecond }) => ratePerSecond));
  const latencies = await steadyRound(ground, rate / 2, times.roundMs);
  const checks = new Checks();
  await audit({ ...ground, stock, checks });
  const at = (share) => Math.round(percentile(latencies, share));
  return {
    notes: `${CALLERS} callers over ${world.agents.length} agents, ${rounds} rounds, ${ground.traffic.accepted} in all`,
    figures: [
      counted(`CPU of ${what}`, Math.round(median(found.map(({ cpuUs }) => cpuUs))), { unit: 'µs' }),
      counted('as fast as it goes', Math.round(rate), { unit: 'a second' }),
      counted('latency at half of that, p50', at(0.5), { unit: 'ms' }),
      counted('latency at half of that, p99', at(0.99), { unit: 'ms' }),
    ],
    tables: [processTable(found, what)],
    checks: checks.all,
  };
}
