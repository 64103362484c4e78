// Memory of processes, as Linux counts it in /proc.
import { descendants, readProc } from './cpu.mjs';
import { sum } from './pairs.mjs';

const KIB_A_MIB = 1_024;

/**
 * What some processes and all their children hold, in MiB: `rss` counts what they share for each of them, `pss` once,
 * `own` not at all, nor files; `pss` is undefined where it may not be read.
 */
export function memoryOf(pids) {
  const texts = treeOf(pids).map((pid) => [readProc(pid, 'status') ?? '', readProc(pid, 'smaps_rollup') ?? '']);
  const mibOf = (place, name) => sum(texts.map((text) => kibOf(text[place], name))) / KIB_A_MIB;
  const isReadable = texts.every(([, rollup]) => rollup !== '');
  return {
    processes: texts.length,
    rss: mibOf(0, 'VmRSS'),
    own: mibOf(0, 'RssAnon'),
    pss: isReadable ? mibOf(1, 'Pss') : undefined,
  };
}

/** The value of a line such as `Pss:  123 kB`; 0 where there is none. */
export function kibOf(text, name) {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0);
}

/** These processes and what they have started. */
function treeOf(pids) {
  const all = [...descendants().values()];
  const found = new Set(pids);
  // Children come after their parents.
  for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  return [...found];
}
