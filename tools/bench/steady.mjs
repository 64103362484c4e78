// Latency on a chain with slots at half load, open loop, until confirmed: the product and a bare client at the same rate.
import { Checks } from '../measuring/checks.mjs';
import { openLedgers } from './ledgers.mjs';
import { openLoop } from './measure/load.mjs';
import { compare, figure, inPairs, percentile } from './measure/pairs.mjs';
import { latencyTable } from './report.mjs';
import { capacityOf, steadyRound } from './traffic/rounds.mjs';
import { startWithAgents } from './world.mjs';

const SLOT_MS = 400;
const AGENTS = 100;

/**
 * `Traffic` and `Bare` are what both sides send, `takeStock` and `audit` what is checked of it; `most` a second, beyond
 * which two cores are busy with client and sandbox, too; `callers` enough that a slot's waiting does not bound what is
 * done; `aims` for p50 and p99.
 */
export async function measureSteady({ Traffic, Bare, takeStock, audit, most, callers, times, aims }, pairs) {
  const world = await startWithAgents({ agents: AGENTS, slotMs: SLOT_MS });
  const bare = await Bare.open(world.deployment);
  const ground = { world, bare, ledgers: openLedgers(world.deployment), traffic: new Traffic(world) };
  const stock = await takeStock(ground);
  const capacity = await capacityOf(ground, { callers, ...times });
  const rate = Math.min(capacity / 2, most);
  console.log(`  ${capacity.toFixed(0)} a second at most; measured at ${rate.toFixed(0)}`);
  const measured = await inPairs({
    pairs,
    limit: () => openLoop({ ratePerSecond: rate, durationMs: times.roundMs, call: () => bare.send() }),
    product: () => steadyRound(ground, rate, times.roundMs),
    numberOf: at(0.5),
  });
  const checks = new Checks();
  await audit({ ...ground, stock, checks });
  checks.equal('errors of the bare client', bare.firstErrors.join(' | ') || 'none', 'none');
  return {
    notes:
      `slots of ${SLOT_MS} ms, ${rate.toFixed(0)} a second of ${capacity.toFixed(0)} possible, ${pairs} pairs, ` +
      `${ground.traffic.accepted} of the product and ${bare.accepted} bare ones, until confirmed`,
    figures: [
      figure('latency, p50', measured, { unit: 'ms', aim: aims.p50 }),
      figure('latency, p99', compare(measured, at(0.99)), { unit: 'ms', aim: aims.p99 }),
    ],
    tables: [latencyTable(measured.limitRounds, measured.productRounds)],
    checks: checks.all,
  };
}

const at = (share) => (latencies) => percentile(latencies, share);
