import { Secret } from '@agent-wallet/kernel';
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, postgresAccount } from './account.js';
import { findBinaries } from './binaries.js';
import { clusterExists, clusterPath, createCluster } from './cluster.js';
import type { PostgresConnection } from './connection.js';
import { claimDirectory } from './ownership.js';
import { passwordsFor } from './passwords.js';
import { findOrphan, readPostmaster, runsWith, stopPostmaster } from './postmaster.js';

/** `full`: what is acknowledged survives a crash of the machine. `relaxed`: it need not; for tests. */
export type Durability = 'full' | 'relaxed';

/** What to start. */
export interface EmbeddedPostgresOptions {
  /** The directory of everything this Postgres keeps; made when it is missing. */
  readonly dataDir: string;
  /** A free port by default; the one in use when a running Postgres is adopted. */
  readonly port?: number;
  readonly durability?: Durability;
}

/** A running Postgres, reached as its superuser. */
export interface EmbeddedPostgres extends PostgresConnection {
  readonly dataDir: string;
  /** Stops Postgres and frees the data directory. */
  stop(): Promise<void>;
  /** Frees the data directory and leaves Postgres running, for the next launcher to adopt. */
  detach(): void;
}

const HOST = '127.0.0.1';
const SUPERUSER = 'postgres';
const START_TIMEOUT_MS = 60_000;
const POLL_MS = 10;

/** Why a start may fail and the next attempt succeed: a predecessor is still going, or somebody took the port. */
const PASSING_TROUBLE =
  /pre-existing shared memory block|lock file "postmaster.pid" already exists|Address already in use/;

const SETTINGS: Record<Durability, readonly string[]> = {
  full: ['shared_buffers=128MB'],
  relaxed: ['shared_buffers=64MB', 'fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_wal_size=128MB'],
};

/**
 * Starts a real Postgres on the data directory, or adopts the one that a killed process left running there. Passwords
 * are made up at the first start and kept in the data directory. Throws DataDirectoryInUse when another living process
 * runs this directory.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = path.resolve(options.dataDir);
  // Without a mode: it would be given to every parent that is made, too, and shut Postgres' account out.
  mkdirSync(dataDir, { recursive: true });
  const release = claimDirectory(dataDir);
  try {
    const { cluster, pid, port, password } = await run(dataDir, options);
    return {
      ...{ dataDir, host: HOST, port, user: SUPERUSER, password: new Secret(password), database: 'postgres' },
      stop: async () => {
        await stopPostmaster(pid, cluster);
        release();
      },
      detach: release,
    };
  } catch (error) {
    release();
    throw error;
  }
}

interface Running {
  readonly cluster: string;
  readonly pid: number;
  readonly port: number;
  readonly password: string;
}

async function run(dataDir: string, { port, durability = 'full' }: EmbeddedPostgresOptions): Promise<Running> {
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

  const binaries = findBinaries(account);
  if (!clusterExists(cluster)) {
    createCluster(cluster, { binaries, account, password, superuser: SUPERUSER, durable: durability === 'full' });
  }
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const chosen = port ?? (await freePort());
    const launch = { program: binaries.postgres, account, cluster, args: argumentsFor(cluster, chosen, settings) };
    const result = await launchOnce(launch, `${dataDir}/server.log`, deadline);
    if ('pid' in result) return { cluster, password, pid: result.pid, port: chosen };
    if (!PASSING_TROUBLE.test(result.trouble) || performance.now() > deadline) {
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
}

async function launchOnce(
  launch: Launch,
  log: string,
  deadline: number,
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
  let ended: string | undefined;
  child.once('error', (error) => (ended = error.message));
  child.once('exit', (code, signal) => (ended = `exit ${code ?? signal}`));
  while (ended === undefined && performance.now() < deadline) {
    const postmaster = readPostmaster(launch.cluster);
    if (postmaster?.ready && postmaster.pid === child.pid) {
      child.unref();
      return { pid: postmaster.pid };
    }
    await sleep(POLL_MS);
  }
  child.kill('SIGQUIT');
  return { trouble: `${ended ?? 'not ready in time'}: ${readFileSync(log, 'utf8').trim()}` };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, HOST, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
