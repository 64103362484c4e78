// Benchmark: CPU of a transfer over all services and Postgres, from the public API to the record, against its bare parts.
import { openParts } from './bare/parts.mjs';
import { measureCosts } from './costs.mjs';
import { audit, takeStock } from './traffic/audit.mjs';
import { TransferTraffic } from './traffic/traffic.mjs';
import { startWithAgents } from './world.mjs';

const LONG = { warmUpCalls: 8_000, roundMs: 8_000, partMs: 1_000 };
const QUICK = { warmUpCalls: 500, roundMs: 3_000, partMs: 400 };

export async function measure({ pairs, isQuick }) {
  const world = await startWithAgents({ agents: 200 });
  const times = isQuick ? QUICK : LONG;
  const what = 'a transfer';
  return measureCosts({ world, Traffic: TransferTraffic, takeStock, audit, what, times, openParts }, pairs);
}
