// What was measured of transfers, as tables.
import { median } from '../measure/statistics.mjs';

/** What each bare part costs: many calls at once, and one at a time. */
export function partTable(parts, rounds, alone) {
  const rows = parts.map(({ name, times }, i) => {
    const us = median(rounds.map(({ costs }) => costs[i]));
    return [name, us / times, `× ${Number(times.toFixed(1))}`, us, alone.costs[i] / times];
  });
  return { title: 'bare parts, µs of CPU', rows: [['', 'each', 'a transfer', 'together', 'one at a time'], ...rows] };
}

/** Which process spends how much, the greatest first. */
export function processTable(rounds, of = 'a transfer') {
  const names = [...new Set(rounds.flatMap(({ byProcess }) => Object.keys(byProcess)))];
  const all = median(rounds.map(({ cpuUs }) => cpuUs));
  const rows = names
    .map((name) => [name, median(rounds.map(({ byProcess }) => byProcess[name] ?? 0))])
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, us]) => [name, us, `${((100 * us) / all).toFixed(0)} %`]);
  return { title: `where the product’s CPU goes, µs ${of}`, rows: [['', 'µs', 'share'], ...rows] };
}

/** How fast it was. */
export function speedTable({ throughput, latency }) {
  const [p50, p99] = [latency.p50Ms, latency.p99Ms].map((ms) => `${ms.toFixed(0)} ms`);
  const heading = ['', 'a second', 'p50', 'p99'];
  const steady = ['at half of that, steadily', latency.perSecond, p50, p99];
  return {
    title: 'speed on this machine',
    rows: [heading, ['as fast as it goes', throughput.perSecond, '', ''], steady],
  };
}
