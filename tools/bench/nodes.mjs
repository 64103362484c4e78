// Benchmark: how long a transfer takes with three nodes, of which a majority must agree, against one.
import { createServer, connect } from 'node:net';
import { once } from 'node:events';
import { Checks } from '../measuring/checks.mjs';
import { closing } from '../measuring/closing.mjs';
import { openLedgers } from './ledgers.mjs';
import { compare, figure, inPairs, percentile } from './measure/pairs.mjs';
import { latencyTable } from './report.mjs';
import { audit, takeStock } from './traffic/audit.mjs';
import { capacityOf, steadyRound } from './traffic/rounds.mjs';
import { TransferTraffic } from './traffic/traffic.mjs';
import { startWithAgents } from './world.mjs';

const SLOT_MS = 400;
const AGENTS = 100;
const MOST_A_SECOND = 60;
const CALLERS = 256;
const NODES = 3;
const AIM = { atMost: 1.1 };
const LONG = { warmUpMs: 10_000, capacityMs: 6_000, roundMs: 10_000 };
const QUICK = { warmUpMs: 4_000, capacityMs: 3_000, roundMs: 4_000 };

/** Both sides are a product of their own, started at once and asked in turn, at half of what the one with more nodes can do. */
export async function measure({ pairs, isQuick }) {
  const times = isQuick ? QUICK : LONG;
  const [one, three] = [await openSide(1), await openSide(NODES)];
  await capacityOf(one, { callers: CALLERS, ...times });
  const capacity = await capacityOf(three, { callers: CALLERS, ...times });
  const rate = Math.min(capacity / 2, MOST_A_SECOND);
  console.log(`  ${capacity.toFixed(0)} a second at most; measured at ${rate.toFixed(0)}`);
  const measured = await inPairs({
    pairs,
    limit: () => steadyRound(one, rate, times.roundMs),
    product: () => steadyRound(three, rate, times.roundMs),
    numberOf: at(0.5),
  });
  const checks = new Checks();
  for (const side of [one, three]) await audit({ ...side, checks });
  return {
    notes: `${NODES} nodes against 1, slots of ${SLOT_MS} ms, ${rate.toFixed(0)} a second, ${pairs} pairs, until confirmed`,
    figures: [
      figure('latency, p50', measured, { unit: 'ms', aim: AIM }),
      figure('latency, p99', compare(measured, at(0.99)), { unit: 'ms', aim: AIM }),
    ],
    tables: [latencyTable(measured.limitRounds, measured.productRounds, ['1 node', `${NODES} nodes`])],
    checks: checks.all,
  };
}

const at = (share) => (latencies) => percentile(latencies, share);

async function openSide(nodes) {
  const openNodes = (rpcUrl) => Promise.all(Array.from({ length: nodes }, () => openNode(rpcUrl)));
  const world = await startWithAgents({ agents: AGENTS, slotMs: SLOT_MS, openNodes });
  return {
    ...{ world, ledgers: openLedgers(world.deployment), traffic: new TransferTraffic(world) },
    stock: await takeStock(world),
  };
}

/** Opens another address of the sandbox's node. */
async function openNode(rpcUrl) {
  const { hostname, port } = new URL(rpcUrl);
  const server = createServer((client) => {
    const node = connect(Number(port), hostname);
    client.pipe(node).pipe(client);
    client.on('error', () => node.destroy());
    node.on('error', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing(server, () => server.close());
  return `http://127.0.0.1:${server.address().port}`;
}
