// Rounds of transfers or trades, and what each of them cost.
import { closedLoop, openLoop, perSecond } from '../measure/load.mjs';
import { cpuSince, descendants } from '../measure/process-cpu.mjs';
import { sum } from '../measure/statistics.mjs';
import { productProcess } from '../process-names.mjs';
import { CALLERS } from './traffic.mjs';

/**
 * Sends as fast as it goes, for `durationMs` or a number of `calls`, and waits until all of it is settled and recorded:
 * what follows a transfer is part of it.
 * @returns transfers a second, events a transfer, and CPU a transfer: `cpuUs` and `byProcess`
 */
export async function fullRound({ traffic, ledgers }, extent) {
  const [before, eventsBefore] = [descendants(), await ledgers.events()];
  const done = await traffic.connected(() => closedLoop({ ...extent, callers: CALLERS, call: () => traffic.send() }));
  await ledgers.quiet();
  const spent = [...cpuSince(before, productProcess)].map(([name, us]) => [name, us / done.count]);
  return {
    ratePerSecond: perSecond(done),
    eventsPerTransfer: ((await ledgers.events()) - eventsBefore) / done.count,
    cpuUs: sum(spent.map(([, us]) => us)),
    byProcess: Object.fromEntries(spent),
  };
}

/** Sends at a steady rate; resolves to every transfer's latency in ms. */
export async function steadyRound({ traffic, ledgers }, ratePerSecond, durationMs) {
  const call = () => traffic.send();
  const latencies = await traffic.connected(() => openLoop({ ratePerSecond, durationMs, call }));
  await ledgers.quiet();
  return latencies;
}

/** What the services do a second when as many ask as fit; the compilers are warm afterwards. */
export async function capacityOf({ traffic, ledgers }, { callers, warmUpMs, capacityMs }) {
  const run = (durationMs) => traffic.connected(() => closedLoop({ callers, durationMs, call: () => traffic.send() }));
  await run(warmUpMs);
  await ledgers.quiet();
  await ledgers.analyze();
  const done = await run(capacityMs);
  await ledgers.quiet();
  return perSecond(done);
}
