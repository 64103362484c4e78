// Rounds of requests, and what each of them cost.
import { costs, cpuSince, descendants, serviceProcess } from '../measure/cpu.mjs';
import { closedLoop, openLoop, perSecond } from '../measure/load.mjs';
import { CALLERS } from './traffic.mjs';

/**
 * Sends as fast as it goes, for `durationMs` or a number of `calls`, and waits until all of it is settled and recorded:
 * what follows a request is part of it. `nameOf` says which processes count, and as what.
 * @returns requests a second, and CPU a request: `cpuUs` and `byProcess`
 */
export async function fullRound({ traffic, ledgers, nameOf = serviceProcess }, extent) {
  const before = descendants();
  const done = await traffic.connected(() => closedLoop({ callers: CALLERS, ...extent, call: () => traffic.send() }));
  await ledgers.quiet();
  return { ratePerSecond: perSecond(done), ...costs([...cpuSince(before, nameOf)], done.count) };
}

/** Sends at a steady rate; resolves to every request's latency in ms. */
export async function steadyRound({ traffic, ledgers }, ratePerSecond, durationMs) {
  const call = () => traffic.send();
  const latencies = await traffic.connected(() => openLoop({ ratePerSecond, durationMs, call }));
  await ledgers.quiet();
  return latencies;
}

/** What the services do a second when as many ask as fit; the compilers are warm afterwards. */
export async function capacityOf(ground, { callers, warmUpMs, capacityMs }) {
  await fullRound(ground, { callers, durationMs: warmUpMs });
  await ground.ledgers.analyze();
  return (await fullRound(ground, { callers, durationMs: capacityMs })).ratePerSecond;
}
