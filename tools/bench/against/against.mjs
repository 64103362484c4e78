// The product against itself at another commit: the same rounds on both, in pairs.
import { Checks } from '../../measuring/checks.mjs';
import { compare, figure, inPairs, percentile } from '../measure/pairs.mjs';
import { processTable } from '../report.mjs';
import { startRound, startTable } from '../start.mjs';
import { audit, auditLandings, landingsOf, takeStock } from '../traffic/audit.mjs';
import { fullRound, steadyRound } from '../traffic/rounds.mjs';
import { TradeTraffic } from '../traffic/trades.mjs';
import { TransferTraffic } from '../traffic/traffic.mjs';
import { populate } from '../world.mjs';
import { openPublicLedgers, startProcesses, startProgram } from './product.mjs';
import { checkOut, commandOf, here, prepare } from './tree.mjs';

const AGENTS = 64;
const SLOT_MS = 400;
/** Transfers a second, or half of what the slower side can do. */
const PER_SECOND = 20;
const LONG = { warmUpCalls: 6_000, roundMs: 8_000, idleMs: 10_000 };
const QUICK = { warmUpCalls: 300, roundMs: 3_000, idleMs: 3_000 };

/** What can be measured on both sides, as options.mjs names it. */
const MEASURED = { transfers, trades, latency, start };

/** What agents ask for: the requests, what is there before, and what is compared afterwards. */
const ACTIONS = {
  transfer: { Traffic: TransferTraffic, takeStock, audit },
  trade: {
    Traffic: TradeTraffic,
    takeStock: async (world) => ({ landed: await landingsOf(world) }),
    audit: (ground) => auditLandings({ ...ground, action: 'trade' }),
  },
};

/** Builds both and measures each benchmark in turn; hands each result over as it comes. */
export async function measureAgainst({ commit, benchmarks, pairs, isQuick }, report) {
  const sides = [await checkOut(commit), here];
  for (const side of sides) await prepare(side);
  for (const name of benchmarks) {
    console.log(`\nmeasuring ${name}: ${sides.map((side) => side.name).join(' against ')} …`);
    const checks = new Checks();
    const found = await MEASURED[name]({ sides, pairs, checks, times: isQuick ? QUICK : LONG });
    report({ ...found, name, notes: `${pairs} pairs, this tree against ${sides[0].name}`, checks: checks.all });
  }
}

/** CPU of a transfer over all processes and Postgres, as many at once as fit. */
function transfers(options) {
  return cpuOf('transfer', options);
}

/** CPU of a trade, likewise. */
function trades(options) {
  return cpuOf('trade', options);
}

async function cpuOf(action, { sides, pairs, times, checks }) {
  const worlds = await eachSide(sides, '0', { ...times, action });
  const round = (world) => () => fullRound(world, { durationMs: times.roundMs });
  const [limit, product] = worlds.map(round);
  const measured = await inPairs({ pairs, limit, product, numberOf: ({ cpuUs }) => cpuUs });
  await close(worlds, checks);
  const rate = compare(measured, ({ ratePerSecond }) => ratePerSecond);
  const tables = [
    processTable(measured.limitRounds, `a ${action}, before`),
    processTable(measured.productRounds, `a ${action}, now`),
  ];
  const figures = [
    figure(`CPU of a ${action}`, measured, { unit: 'µs' }),
    figure(`${action}s`, rate, { unit: 'a second' }),
  ];
  return { figures, tables };
}

/** Transfers at a steady rate on a chain with slots, until confirmed. */
async function latency({ sides, pairs, times, checks }) {
  const worlds = await eachSide(sides, String(SLOT_MS), { warmUpCalls: times.warmUpCalls / 4 });
  const timing = Math.min(PER_SECOND, ...worlds.map(({ ratePerSecond }) => ratePerSecond / 2));
  console.log(`  measured at ${timing.toFixed(1)} transfers a second`);
  const round = (world) => () => steadyRound(world, timing, times.roundMs);
  const [limit, product] = worlds.map(round);
  const at = (share) => (latencies) => percentile(latencies, share);
  const measured = await inPairs({ pairs, limit, product, numberOf: at(0.5) });
  await close(worlds, checks);
  const figures = [0.5, 0.9, 0.99].map((share) =>
    figure(`latency of a transfer, p${share * 100}`, compare(measured, at(share)), { unit: 'ms' }),
  );
  return { figures, tables: [] };
}

/** From `npm start` of a tree that is built to the first confirmed transfer, and what it then holds. */
async function start({ sides, pairs, times, checks }) {
  const round = async (side) => {
    const program = { command: await commandOf(side, 'start'), cwd: side.directory };
    const begin = (directory) => startProgram({ ...program, directory });
    return () => startRound({ name: side.name, begin, idleMs: times.idleMs, checks });
  };
  const [limit, product] = [await round(sides[0]), await round(sides[1])];
  const measured = await inPairs({ pairs, limit, product, numberOf: ({ coldMs }) => coldMs });
  const by = (field) => compare(measured, (found) => found[field]);
  const figures = [
    figure('cold start until the first confirmed transfer', measured, { unit: 'ms' }),
    figure('warm start until then', by('warmMs'), { unit: 'ms' }),
    figure('idle memory, RSS', by('rss'), { unit: 'MiB' }),
    figure('idle memory that is neither shared nor a file', by('own'), { unit: 'MiB' }),
  ];
  return { figures, tables: [startTable(measured, ['before', 'now'])] };
}

/** Opens both worlds, and warms them up. */
async function eachSide(sides, slotMs, { warmUpCalls, action = 'transfer' }) {
  const { Traffic, takeStock: stockOf } = ACTIONS[action];
  const worlds = [];
  for (const side of sides) {
    console.log(`  starting ${side.name}`);
    const deployment = await startProcesses(side, { SANDBOX_SLOT_MS: slotMs });
    await deployment.sandbox.setPrice({ freeze: true });
    const world = await populate(deployment, AGENTS);
    const traffic = new Traffic(world);
    const ground = { world, traffic, action, ledgers: openPublicLedgers(traffic, action), nameOf: deployment.nameOf };
    const stock = await stockOf(world);
    const { ratePerSecond } = await fullRound(ground, { calls: warmUpCalls });
    worlds.push({ ...ground, stock, ratePerSecond });
  }
  return worlds;
}

/** Checks what both did, and stops them. */
async function close(worlds, checks) {
  for (const world of worlds) await ACTIONS[world.action].audit({ ...world, checks });
  for (const { world } of worlds) await world.deployment.stop();
}
