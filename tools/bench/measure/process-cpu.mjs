// CPU of processes, as Linux counts it in /proc.
import { readdirSync, readFileSync } from 'node:fs';

/** The unit of /proc: hundredths of a second, on every Linux that Node runs on. */
const TICK_US = 10_000;

/** Where the fields that we need stand after the name of the program (proc_pid_stat(5), counted from `state`). */
const PARENT = 1;
const CPU_FIELDS = [11, 12, 13, 14]; // utime and stime, its own and those of children that have ended

/**
 * Every process that this one has started, and their children, as they are now:
 * `Map(pid → { pid, parent, commandLine, cpuUs })`, with the CPU of its ended children in a parent's.
 */
export function descendants() {
  const all = new Map(pids().flatMap((pid) => statOf(pid) ?? []));
  const tree = new Map();
  const visit = (parent) => {
    for (const found of all.values()) {
      if (found.parent !== parent) continue;
      tree.set(found.pid, { ...found, commandLine: commandLineOf(found.pid) });
      visit(found.pid);
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

/** The environment that a process was started with. */
export function environmentOf(pid) {
  const lines = (readProc(pid, 'environ') ?? '').split('\0').filter((line) => line.includes('='));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

/** One variable of it. */
export function variableOf(pid, name) {
  return environmentOf(pid)[name];
}

function pids() {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
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

function readProc(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
