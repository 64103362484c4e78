import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { startTimeOf } from './process-identity.js';

/** Another living process runs the Postgres of this directory. */
export class DataDirectoryInUse extends Error {
  constructor(dataDir: string, pid: number) {
    super(`The data directory ${dataDir} is in use by process ${pid}`);
    this.name = 'DataDirectoryInUse';
  }
}

interface Owner {
  readonly pid: number;
  readonly startedAt: string;
}

/** Number of retries of a claim after losing a race for a file that a dead process left. */
const CLAIM_ATTEMPTS = 20;

/**
 * Makes this process the one owner of a data directory, by a file in it, and returns what gives it up. A file left by
 * a dead process counts for nothing. Throws DataDirectoryInUse when a living process owns it, this one included.
 */
export function claimDirectory(dataDir: string): () => void {
  const file = `${dataDir}/owner.json`;
  const me: Owner = { pid: process.pid, startedAt: startTimeOf(process.pid) ?? 'unknown' };
  const mine = JSON.stringify(me);
  for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt += 1) {
    if (createWhole(file, mine)) return () => releaseIf(file, mine);
    const found = readText(file);
    if (found === undefined) continue;
    const owner = JSON.parse(found) as Owner;
    if (startTimeOf(owner.pid) === owner.startedAt) throw new DataDirectoryInUse(dataDir, owner.pid);
    removeIf(file, found);
  }
  throw new Error(`The data directory ${dataDir} cannot be claimed: ${file} keeps changing.`);
}

/** Creates the file with its whole content or not at all; false when it exists. */
function createWhole(file: string, content: string): boolean {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, content, { mode: 0o600 });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Moves a stale file away. Of several processes that find it, one succeeds; a newer file caught by mistake is restored.
 */
function removeIf(file: string, stale: string): void {
  const aside = `${file}.stale-${process.pid}`;
  try {
    renameSync(file, aside);
    if (readText(aside) !== stale) linkSync(aside, file);
  } catch {
    // Another process was faster: the next round sees what it made.
  } finally {
    rmSync(aside, { force: true });
  }
}

function releaseIf(file: string, mine: string): void {
  if (readText(file) === mine) rmSync(file, { force: true });
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
