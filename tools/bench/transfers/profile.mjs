// A CPU profile of each of our processes under load, one after the other, except the signer, which opens no inspector.
import { closedLoop } from '../measure/load.mjs';
import { descendants } from '../measure/process-cpu.mjs';
import { profiled } from '../measure/profile.mjs';
import { productProcess } from '../process-names.mjs';
import { CALLERS } from './traffic.mjs';

const ROUND_MS = 6_000;

/** Writes `<process>.cpuprofile` files and answers tables of the hot spots. */
export async function profileAll({ traffic, ledgers, directory }) {
  const tables = [];
  for (const { name, pid } of nodeProcesses()) {
    const load = () =>
      traffic.connected(() => closedLoop({ callers: CALLERS, durationMs: ROUND_MS, call: () => traffic.send() }));
    tables.push(...(await profiled({ name, pid, load, directory })));
    await ledgers.quiet();
  }
  return tables;
}

function nodeProcesses() {
  return [...descendants().values()].flatMap((process) => {
    const name = productProcess(process);
    return name && name !== 'signer' && !name.startsWith('postgres') ? [{ name, pid: process.pid }] : [];
  });
}
