// A CPU profile of one process under load, as a file and as tables.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hotSpots } from './hot-spots.mjs';
import { profileProcess } from './inspector.mjs';

const FUNCTIONS = 12;
const PACKAGES = 10;

/** Writes `<name>.cpuprofile`, which Chrome's DevTools read, and answers tables of the hot spots. */
export async function profiled({ name, pid, load, directory }) {
  await mkdir(directory, { recursive: true });
  const profile = await profileProcess(pid, load);
  await writeFile(path.join(directory, `${name}.cpuprofile`), JSON.stringify(profile));
  const { functions, packages } = hotSpots(profile);
  return [
    { title: `${name}: busy time by package`, rows: rowsOf(packages, PACKAGES) },
    { title: `${name}: busy time by function`, rows: rowsOf(functions, FUNCTIONS) },
  ];
}

const rowsOf = (shares, count) =>
  shares.slice(0, count).map(([label, share]) => [label, `${(share * 100).toFixed(1)} %`]);
