// A CPU profile of each of our processes under load, one after the other.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hotSpots } from '../measure/hot-spots.mjs';
import { profileProcess } from '../measure/inspector.mjs';
import { closedLoop } from '../measure/load.mjs';
import { descendants } from '../measure/process-cpu.mjs';
import { productProcess } from './process-names.mjs';
import { CALLERS } from './traffic.mjs';

const ROUND_MS = 6_000;
const FUNCTIONS = 12;
const PACKAGES = 10;

/** Writes `<process>.cpuprofile` files, which Chrome's DevTools read, and answers tables of the hot spots. */
export async function profileAll({ traffic, ledgers, directory }) {
  await mkdir(directory, { recursive: true });
  const tables = [];
  for (const { name, pid } of nodeProcesses()) {
    const load = () =>
      traffic.connected(() => closedLoop({ callers: CALLERS, durationMs: ROUND_MS, call: () => traffic.send() }));
    const profile = await profileProcess(pid, load);
    await writeFile(path.join(directory, `${name}.cpuprofile`), JSON.stringify(profile));
    await ledgers.quiet();
    tables.push(...tablesOf(name, hotSpots(profile)));
  }
  return tables;
}

function nodeProcesses() {
  return [...descendants().values()].flatMap((process) => {
    const name = productProcess(process);
    return name && !name.startsWith('postgres') ? [{ name, pid: process.pid }] : [];
  });
}

function tablesOf(name, { functions, packages }) {
  const rows = (shares, count) => shares.slice(0, count).map(([label, share]) => [label, percent(share)]);
  return [
    { title: `${name}: busy time by package`, rows: rows(packages, PACKAGES) },
    { title: `${name}: busy time by function`, rows: rows(functions, FUNCTIONS) },
  ];
}

const percent = (share) => `${(share * 100).toFixed(1)} %`;
