// What a bare part costs.
import { closedLoop } from './load.mjs';
import { cpuSince, descendants, ownCpuUs } from './process-cpu.mjs';
import { sum } from './statistics.mjs';

/**
 * CPU of one unit of a part, in µs: of this process, where its end counts, and of the processes at the other end.
 *
 * A part is `{ name, times, callers, units, call, countsUs, isPeer }`: a transfer needs it `times` times; `call` does
 * `units` of it; `isPeer({ pid, commandLine })` says which processes are the other end.
 */
export async function cpuOfPart({ callers = 1, units = 1, call, countsUs = true, isPeer = () => false }, durationMs) {
  const [before, ownBefore] = [descendants(), ownCpuUs()];
  const { count } = await closedLoop({ callers, durationMs, call });
  const ownUs = countsUs ? ownCpuUs() - ownBefore : 0;
  const peersUs = sum([...cpuSince(before, (process) => (isPeer(process) ? 'peer' : undefined)).values()]);
  return (ownUs + peersUs) / (count * units);
}
