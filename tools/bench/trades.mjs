// Benchmark: how long a trade takes, against a client that signs what the aggregator gives it.
import { BareTrader } from './bare/clients.mjs';
import { measureSteady } from './steady.mjs';
import { CALLERS } from './traffic/traffic.mjs';
import { audit, takeStock, TradeTraffic } from './traffic/trades.mjs';

const LONG = { warmUpMs: 15_000, capacityMs: 6_000, roundMs: 15_000 };
const QUICK = { warmUpMs: 5_000, capacityMs: 3_000, roundMs: 5_000 };

export function measure({ pairs, isQuick }) {
  const load = { most: 30, callers: CALLERS, times: isQuick ? QUICK : LONG };
  const aims = { p99: { atMost: 1.25 } };
  return measureSteady({ Traffic: TradeTraffic, Bare: BareTrader, takeStock, audit, aims, ...load }, pairs);
}
