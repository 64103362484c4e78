import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readlinkSync } from 'node:fs';
import { realpathSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Account, canEnter } from './account.js';
import type { Binaries } from './binaries.js';
import { runProgram } from './run-program.js';

/** Directory of a cluster whose account cannot enter the data directory. */
const PLACE_FOR_ALL = '/var/lib/agent-wallet';

/**
 * Returns the real path of the cluster of a data directory; it need not exist yet. It is `<dataDir>/cluster`. Where
 * Postgres' account cannot enter root's data directory, this name links to a separate directory. Throws when the link's
 * target no longer exists.
 */
export function clusterPath(dataDir: string, account: Account): string {
  const name = path.join(dataDir, 'cluster');
  if (existsSync(name)) return realpathSync(name);
  if (lstatSync(name, { throwIfNoEntry: false })) {
    throw new Error(`The database of ${dataDir} was in ${readlinkSync(name)}, which is gone: remove ${dataDir}, too.`);
  }
  if (account.uid !== undefined) openTemporary(dataDir);
  if (canEnter(account, dataDir)) return path.join(realpathSync(dataDir), 'cluster');
  mkdirSync(PLACE_FOR_ALL, { recursive: true, mode: 0o755 });
  const elsewhere = mkdtempSync(path.join(PLACE_FOR_ALL, 'postgres-'));
  own(elsewhere, account);
  symlinkSync(elsewhere, name);
  return elsewhere;
}

/**
 * Lets others pass through our directories below the system's temporary one, where mkdtemp makes them with mode
 * 0700: a cluster elsewhere would stay when they are removed.
 */
function openTemporary(directory: string): void {
  if (!directory.startsWith(`${os.tmpdir()}${path.sep}`)) return;
  openTemporary(path.dirname(directory));
  const { uid, mode } = statSync(directory);
  if (uid === process.getuid?.() && (mode & 0o001) === 0) chmodSync(directory, (mode & 0o777) | 0o011);
}

/** Reports whether initdb finished there. */
export function clusterExists(cluster: string): boolean {
  return existsSync(path.join(cluster, 'PG_VERSION'));
}

interface NewCluster {
  readonly binaries: Binaries;
  readonly account: Account;
  readonly superuser: string;
  readonly password: string;
  /** Whether its files must be on the disk before it is used. */
  readonly isDurable: boolean;
}

/**
 * Makes a cluster: UTF-8, sorted by bytes, every connection with a password. It is made beside its place and moved
 * there, so that a kill leaves no half of one.
 */
export async function createCluster(cluster: string, options: NewCluster): Promise<void> {
  const draft = `${cluster}.init`;
  const passwordFile = `${draft}/password`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  own(draft, options.account);
  writeFileSync(passwordFile, options.password, { mode: 0o600 });
  own(passwordFile, options.account);
  const files = `${draft}/files`;
  const args = [
    '-D',
    files,
    '-U',
    options.superuser,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(options.isDurable ? [] : ['--no-sync']),
  ];
  await runProgram(options.binaries.initdb, args, options.account).catch((cause: Error) => {
    throw new Error(`initdb failed: ${cause.message}`, { cause });
  });
  renameSync(files, cluster);
  rmSync(draft, { recursive: true, force: true });
}

function own(file: string, account: Account): void {
  if (account.uid !== undefined && account.gid !== undefined) chownSync(file, account.uid, account.gid);
}
