import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, postgresAccount } from './account.js';
import { findBinaries } from './binaries.js';
import { freePort } from '../free-ports.js';
import { clusterExists, clusterPath, createCluster } from './cluster.js';
import { passwordsFor } from './passwords.js';
import { findOrphan, readPostmaster, runsWith, stopPostmaster } from './postmaster.js';

/** `full`: what is acknowledged survives a crash of the machine. `relaxed`: it need not; for tests. */
export type Durability = 'full' | 'relaxed';

/** Address on which every embedded Postgres listens. */
export const HOST = '127.0.0.1';
/** Its superuser's name. */
export const SUPERUSER = 'postgres';
const START_TIMEOUT_MS = 60_000;
const POLL_MS = 10;

/**
 * Messages of a failed start whose retry may succeed: a predecessor is still running, or another process took the port.
 */
const PASSING_TROUBLE =
  /pre-existing shared memory block|lock file "postmaster.pid" already exists|Address already in use/;

const SETTINGS: Record<Durability, readonly string[]> = {
  full: ['shared_buffers=128MB'],
  relaxed: ['shared_buffers=64MB', 'fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_wal_size=128MB'],
};

/** A Postgres that answers. */
export interface RunningPostgres {
  readonly cluster: string;
  readonly pid: number;
  readonly port: number;
  readonly password: string;
}

/** Options of a start. */
interface RunOptions {
  readonly port?: number;
  readonly durability?: Durability;
  /** Ends the attempt; what it has started is stopped first. */
  readonly signal?: AbortSignal;
  /** Called whenever one of its programs was started: from then on there is nothing to do but to wait for it. */
  readonly launched?: () => void;
}

/** Runs Postgres on our data directory, or adopts the one that runs there. @throws Error that says why not */
export async function runPostgres(dataDir: string, options: RunOptions): Promise<RunningPostgres> {
  const { port, durability = 'full', signal, launched } = options;
  const { [SUPERUSER]: password } = passwordsFor(dataDir, [SUPERUSER]);
  const account = postgresAccount();
  const cluster = clusterPath(dataDir, account);
  const settings = SETTINGS[durability];

  const orphan = findOrphan(cluster);
  if (orphan) {
    const asWanted = orphan.ready && (port ?? orphan.port) === orphan.port;
    if (asWanted && runsWith(orphan.pid, argumentsFor(cluster, orphan.port, settings))) {
      return { cluster, password, pid: orphan.pid, port: orphan.port };
    }
    await stopPostmaster(orphan.pid, cluster);
  }

  const binaries = await findBinaries(account);
  if (!clusterExists(cluster)) {
    const isDurable = durability === 'full';
    const made = createCluster(cluster, { binaries, account, password, superuser: SUPERUSER, isDurable });
    launched?.();
    await made;
  }
  const deadline = performance.now() + START_TIMEOUT_MS;
  const isOver = (): boolean => performance.now() > deadline || signal?.aborted === true;
  for (;;) {
    const chosen = port ?? (await freePort());
    const args = argumentsFor(cluster, chosen, settings);
    const launch = { program: binaries.postgres, account, cluster, args, launched };
    const result = await launchOnce(launch, `${dataDir}/server.log`, isOver);
    if ('pid' in result) return { cluster, password, pid: result.pid, port: chosen };
    if (!PASSING_TROUBLE.test(result.trouble) || isOver()) {
      throw new Error(`Postgres did not start: ${result.trouble}`);
    }
    await sleep(POLL_MS * 10);
  }
}

function argumentsFor(cluster: string, port: number, settings: readonly string[]): string[] {
  const all = [
    `listen_addresses=${HOST}`,
    'unix_socket_directories=',
    'max_connections=200',
    'timezone=UTC',
    'jit=off',
  ];
  return ['-D', cluster, '-p', String(port), ...[...all, ...settings].flatMap((setting) => ['-c', setting])];
}

interface Launch {
  readonly program: string;
  readonly account: Account;
  readonly cluster: string;
  readonly args: readonly string[];
  readonly launched: (() => void) | undefined;
}

async function launchOnce(
  launch: Launch,
  log: string,
  isOver: () => boolean,
): Promise<{ pid: number } | { trouble: string }> {
  // A file, not a pipe: a pipe would break under Postgres when this process is killed.
  const output = openSync(log, 'w', 0o600);
  const child = spawn(launch.program, launch.args, {
    ...launch.account,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    stdio: ['ignore', output, output],
    detached: true,
  });
  closeSync(output);
  launch.launched?.();
  let ended: string | undefined;
  child.once('error', (error) => (ended = error.message));
  child.once('exit', (code, signal) => (ended = `exit ${code ?? signal}`));
  while (ended === undefined && !isOver()) {
    const postmaster = readPostmaster(launch.cluster);
    if (postmaster?.ready && postmaster.pid === child.pid) {
      child.unref();
      return { pid: postmaster.pid };
    }
    await sleep(POLL_MS);
  }
  if (child.pid !== undefined) await stopPostmaster(child.pid, launch.cluster);
  return { trouble: `${ended ?? 'not ready in time'}: ${readFileSync(log, 'utf8').trim()}` };
}
