// CPU of processes, as Linux counts it in /proc, and what a call costs whom.
import { readdirSync, readFileSync } from 'node:fs';
import { closedLoop, perSecond } from './load.mjs';
import { sum } from './pairs.mjs';

/** The unit of /proc: hundredths of a second, on every Linux that Node runs on. */
const TICK_US = 10_000;

/** Where the fields that we need stand after the name of the program (proc_pid_stat(5), counted from `state`). */
const PARENT = 1;
const CPU_FIELDS = [11, 12, 13, 14]; // utime and stime, its own and those of children that have ended

const SERVICE = /apps\/(\w+)\/(?:\w+\/)+main\.js/;
/** A role may have its database's name in front. */
const BACKEND = /^postgres: (?:postgres_|agent_wallet_|round_\d+_)?(\w+) \w+ (?:[\d.:]+\(|\[local)/;

/** The product's processes: services, the sandbox, and Postgres' backends by their role. */
export function productProcess({ commandLine }) {
  if (!isPostgres({ commandLine })) return SERVICE.exec(commandLine)?.[1];
  const role = BACKEND.exec(commandLine)?.[1];
  return role && role !== 'postgres' ? `postgres for ${role}` : 'postgres itself';
}

/** The same without the sandbox, which stands in for the world outside. */
export function serviceProcess(process) {
  const name = productProcess(process);
  return name === 'sandbox' ? undefined : name;
}

/** Whether a process belongs to a Postgres. */
const isPostgres = ({ commandLine }) => /(^|\/)postgres\b/.test(commandLine);

/**
 * Every process that this one has started, and their children, as they are now:
 * `Map(pid → { pid, parent, top, commandLine, cpuUs })`, with the CPU of its ended children in a parent's; `top` is the
 * one that this process itself has started.
 */
export function descendants() {
  const all = new Map(readdirSync('/proc').flatMap((name) => statOf(Number(name)) ?? []));
  const tree = new Map();
  const visit = (parent, top) => {
    for (const found of all.values()) {
      if (found.parent !== parent) continue;
      tree.set(found.pid, { ...found, top: top ?? found.pid, commandLine: commandLineOf(found.pid) });
      visit(found.pid, top ?? found.pid);
    }
  };
  visit(process.pid);
  return tree;
}

/**
 * CPU since an earlier look, in µs, by the name that `nameOf({ pid, commandLine })` gives; what has no name does not
 * count. A process that has ended since gives its remainder to its parent.
 */
export function cpuSince(before, nameOf) {
  const sums = new Map();
  const add = (process, us) => {
    const name = process && nameOf(process);
    if (name !== undefined) sums.set(name, (sums.get(name) ?? 0) + us);
  };
  const now = descendants();
  for (const process of now.values()) add(process, process.cpuUs - (before.get(process.pid)?.cpuUs ?? 0));
  for (const gone of before.values()) if (!now.has(gone.pid)) add(now.get(gone.parent), -gone.cpuUs);
  return sums;
}

/** CPU so far of this very process, in µs. */
export function ownCpuUs() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/**
 * What a call costs in a closed loop, in µs of CPU: of the processes that `nameOf({ pid, commandLine })` names, and of
 * this one when its end counts.
 * @returns calls a second, and CPU a call: `cpuUs` and `byProcess`
 */
export async function cpuRound({ nameOf = () => undefined, countsUs = false, ...load }) {
  const [before, ownBefore] = [descendants(), ownCpuUs()];
  const done = await closedLoop(load);
  const own = countsUs ? [['the caller', ownCpuUs() - ownBefore]] : [];
  return {
    ratePerSecond: perSecond(done),
    ...costs([...cpuSince(before, nameOf), ...own], done.count),
  };
}

/** `[name, µs]` of `count` calls, as CPU a call: `cpuUs` and `byProcess`. */
export function costs(spent, count) {
  const each = spent.map(([name, us]) => [name, us / count]);
  return { cpuUs: sum(each.map(([, us]) => us)), byProcess: Object.fromEntries(each) };
}

/** One variable of the environment that a process was started with. */
export function variableOf(pid, name) {
  const lines = (readProc(pid, 'environ') ?? '').split('\0');
  return lines.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** As an entry of a map, by pid; undefined when the process has ended meanwhile. */
function statOf(pid) {
  const stat = readProc(pid, 'stat');
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const cpuUs = CPU_FIELDS.reduce((sum, field) => sum + Number(fields[field]) * TICK_US, 0);
  return [[pid, { pid, parent: Number(fields[PARENT]), cpuUs }]];
}

function commandLineOf(pid) {
  return (readProc(pid, 'cmdline') ?? '').replaceAll('\0', ' ').trim();
}

/** A file of a process; undefined when it has ended, or where it may not be read. */
export function readProc(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
