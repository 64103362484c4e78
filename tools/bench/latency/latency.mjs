// Benchmark: how long a transfer takes on a chain with slots, against a client that only sends.
import { Checks } from '../measure/checks.mjs';
import { figure } from '../measure/figure.mjs';
import { openLoop } from '../measure/load.mjs';
import { compare, inPairs } from '../measure/pairs.mjs';
import { median, percentile } from '../measure/statistics.mjs';
import { audit, takeStock } from '../transfers/audit.mjs';
import { openLedgers } from '../transfers/ledgers.mjs';
import { capacityOf, steadyRound } from '../transfers/rounds.mjs';
import { Traffic } from '../transfers/traffic.mjs';
import { openWorld } from '../world.mjs';
import { BareClient } from './bare-client.mjs';

const SLOT_MS = 400;
const AGENTS = 100;
/** Enough that a slot's waiting does not bound what is done. */
const CALLERS = 256;
/** Of transfers a second: beyond it two cores are busy with the client, too. */
const MOST_PER_SECOND = 60;

const LONG = { warmUpMs: 10_000, capacityMs: 6_000, roundMs: 10_000 };
const QUICK = { warmUpMs: 4_000, capacityMs: 3_000, roundMs: 4_000 };

/** Latency of transfers at half load, open loop, until confirmed, both sides at the same pace. */
export async function measureLatency({ pairs, isQuick }) {
  const times = isQuick ? QUICK : LONG;
  const world = await openWorld({ agents: AGENTS, slotMs: SLOT_MS });
  const bare = await BareClient.open(world.deployment);
  const ground = { world, bare, ledgers: openLedgers(world.deployment), traffic: new Traffic(world) };
  const stock = await takeStock(world);
  const bareStock = await receivedBy(world, bare);
  const capacity = await capacityOf(ground, { callers: CALLERS, ...times });
  const ratePerSecond = Math.min(capacity / 2, MOST_PER_SECOND);
  console.log(`  ${capacity.toFixed(0)} transfers a second at most; measured at ${ratePerSecond.toFixed(0)}`);
  const measured = await inPairs({
    pairs,
    limit: () => openLoop({ ratePerSecond, durationMs: times.roundMs, call: () => bare.send() }),
    product: () => steadyRound(ground, ratePerSecond, times.roundMs),
    numberOf: p50,
  });
  const checks = new Checks();
  await audit({ ...ground, stock, checks });
  await auditBare({ ...ground, stock: bareStock, checks });
  return resultOf({ measured, capacity, ratePerSecond, pairs, ground, checks });
}

async function receivedBy({ deployment: { sandbox } }, { recipients }) {
  const received = [];
  for (const address of recipients) received.push(await sandbox.balanceRaw(address, 'USDC'));
  return received;
}

async function auditBare({ world, bare, stock, checks }) {
  checks.equal('errors of the bare client', bare.firstErrors.join(' | ') || 'none', 'none');
  const received = await receivedBy(world, bare);
  const wrong = bare.recipients.filter((to, i) => received[i] - stock[i] !== (bare.sentTo.get(to) ?? 0n));
  checks.equal('what the bare client sent arrived', wrong.length, 0);
}

const p50 = (latencies) => percentile(latencies, 0.5);
const p99 = (latencies) => percentile(latencies, 0.99);

function resultOf({ measured, capacity, ratePerSecond, pairs, ground, checks }) {
  const { traffic, bare } = ground;
  const late = compare(measured, p99);
  const speed = (rounds) => [0.05, 0.5, 0.9, 0.99].map((share) => median(rounds.map((all) => percentile(all, share))));
  const rows = [
    ['', 'p5', 'p50', 'p90', 'p99'],
    ['bare client', ...speed(measured.limitRounds)],
    ['product', ...speed(measured.productRounds)],
  ];
  return {
    name: 'latency',
    notes:
      `slots of ${SLOT_MS} ms, ${ratePerSecond.toFixed(0)} transfers a second of ${capacity.toFixed(0)} possible, ` +
      `${pairs} pairs, ${traffic.accepted} transfers and ${bare.accepted} bare ones, until confirmed`,
    figures: [
      figure('latency, p50', measured, { unit: 'ms', aim: { atMost: 1.15 } }),
      figure('latency, p99', late, { unit: 'ms', aim: { atMost: 1.25 } }),
    ],
    capacity: { perSecond: capacity },
    undecided: traffic.undecided,
    tables: [{ title: 'latency, ms', rows }],
    checks: checks.all,
  };
}
