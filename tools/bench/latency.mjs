// Benchmark: how long a transfer takes, against a client that only sends.
import { BareSender } from './bare/clients.mjs';
import { measureSteady } from './steady.mjs';
import * as transfers from './traffic/audit.mjs';
import { TransferTraffic } from './traffic/traffic.mjs';

const LONG = { warmUpMs: 10_000, capacityMs: 6_000, roundMs: 10_000 };
const QUICK = { warmUpMs: 4_000, capacityMs: 3_000, roundMs: 4_000 };

export function measure({ pairs, isQuick }) {
  const load = { most: 60, callers: 256, times: isQuick ? QUICK : LONG };
  const aims = { p50: { atMost: 1.15 }, p99: { atMost: 1.25 } };
  return measureSteady({ Traffic: TransferTraffic, Bare: BareSender, takeStock, audit, aims, ...load }, pairs);
}

async function takeStock({ world, bare }) {
  const received = await transfers.usdcBy(world, bare.recipients);
  return { ...(await transfers.takeStock(world)), bare: received };
}

async function audit({ bare, ...ground }) {
  await transfers.audit(ground);
  const received = await transfers.usdcBy(ground.world, bare.recipients);
  const wrong = bare.recipients.filter((to, i) => received[i] - ground.stock.bare[i] !== (bare.sentTo.get(to) ?? 0n));
  ground.checks.equal('what the bare client sent arrived', wrong.length, 0);
}
