import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandLineOf } from './process-identity.js';

/** The state of a running Postgres, as written in its data directory. */
interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

/**
 * Signals of a shutdown with their time limits: first Postgres disconnects its clients and writes a checkpoint, then it
 * exits immediately.
 */
const SHUTDOWN_SIGNALS = [
  { signal: 'SIGINT', timeoutMs: 15_000 },
  { signal: 'SIGQUIT', timeoutMs: 5_000 },
] as const;
const POLL_MS = 10;

/** Reads `postmaster.pid` of a cluster's directory; undefined when there is none, or it is half written. */
export function readPostmaster(cluster: string): Postmaster | undefined {
  let lines: string[];
  try {
    lines = readFileSync(`${cluster}/postmaster.pid`, 'utf8').split('\n');
  } catch {
    return undefined;
  }
  const [pid, , , port, , , , status] = lines;
  if (!pid || !port) return undefined;
  return { pid: Number(pid), port: Number(port), ready: status?.trim() === 'ready' };
}

/**
 * Finds the Postgres that a killed launcher left running on a cluster. Ignores a process that reuses the ID in
 * `postmaster.pid`: its arguments do not name the cluster.
 */
export function findOrphan(cluster: string): Postmaster | undefined {
  const postmaster = readPostmaster(cluster);
  return postmaster && servesCluster(postmaster.pid, cluster) ? postmaster : undefined;
}

/** Reports whether a process was started with exactly these arguments, with any path of its program. */
export function runsWith(pid: number, args: readonly string[]): boolean {
  return commandLineOf(pid)?.endsWith(` ${args.join(' ')}`) ?? false;
}

/** Stops a cluster's Postgres and waits until it is gone; does nothing when it is gone already. */
export async function stopPostmaster(pid: number, cluster: string): Promise<void> {
  for (const { signal, timeoutMs } of SHUTDOWN_SIGNALS) {
    if (!servesCluster(pid, cluster)) return;
    signalProcess(pid, signal);
    const deadline = performance.now() + timeoutMs;
    while (performance.now() < deadline) {
      if (!servesCluster(pid, cluster)) return;
      await sleep(POLL_MS);
    }
  }
  throw new Error(`Postgres (process ${pid}) does not stop.`);
}

/** Reports whether a living process is the Postgres of a cluster. */
export function servesCluster(pid: number, cluster: string): boolean {
  return commandLineOf(pid)?.includes(` -D ${cluster} `) ?? false;
}

/** Sends a signal to a process, which may have ended by itself. */
function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
