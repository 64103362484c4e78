// Calls as fast as they go, and what each of them cost whom.
import { closedLoop, perSecond } from './load.mjs';
import { cpuSince, descendants, ownCpuUs } from './process-cpu.mjs';
import { sum } from './statistics.mjs';

/**
 * What a call costs in a closed loop, in µs of CPU: of the processes that `nameOf({ pid, commandLine })` names, and of this one when its
 * end counts.
 * @returns calls a second, and CPU a call: `cpuUs` and `byProcess`
 */
export async function cpuRound({ nameOf, countsUs = false, ...load }) {
  const [before, ownBefore] = [descendants(), ownCpuUs()];
  const done = await closedLoop(load);
  const own = countsUs ? [['the caller', ownCpuUs() - ownBefore]] : [];
  const spent = [...cpuSince(before, nameOf), ...own].map(([name, us]) => [name, us / done.count]);
  return {
    ratePerSecond: perSecond(done),
    cpuUs: sum(spent.map(([, us]) => us)),
    byProcess: Object.fromEntries(spent),
  };
}
