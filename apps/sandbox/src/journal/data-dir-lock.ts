import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Keeps a second process out of a data directory. A lock whose holder is gone (killed) is taken over. */
export class DataDirLock {
  private constructor(private readonly file: string) {}

  /** Takes the lock. @throws Error that names the holder */
  static take(dataDir: string): DataDirLock {
    const file = path.join(dataDir, 'lock');
    const holder = readHolder(file);
    if (holder !== undefined && holder.pid !== process.pid && startedAt(holder.pid) === holder.startedAt) {
      throw new Error(`the data directory ${dataDir} is in use by process ${holder.pid}`);
    }
    writeFileSync(file, JSON.stringify({ pid: process.pid, startedAt: startedAt(process.pid) }));
    return new DataDirLock(file);
  }

  release(): void {
    rmSync(this.file, { force: true });
  }
}

function readHolder(file: string): { pid: number; startedAt: string } | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as { pid: number; startedAt: string };
  } catch {
    return undefined;
  }
}

/** Distinguishes a process from a later one with the same number where the system says when it began; "gone" if it is. */
function startedAt(pid: number): string {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return 'gone';
  }
  try {
    const [state, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    // A killed process keeps its number until its parent asks for it, which some parents never do.
    return state === 'Z' ? 'gone' : (fields[18] ?? 'unknown');
  } catch {
    return 'unknown';
  }
}
