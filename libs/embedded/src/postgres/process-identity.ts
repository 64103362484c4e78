import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Returns the arguments of a living process joined by spaces; undefined when the process has ended. */
export function commandLineOf(pid: number): string | undefined {
  if (!existsSync('/proc/self/cmdline')) return askPs(pid, 'command');
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim() || undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the start time of a living process as an opaque text; undefined when the process has ended. Process IDs are
 * reused; the pair of ID and start time is not.
 */
export function startTimeOf(pid: number): string | undefined {
  if (!existsSync('/proc/self/stat')) return askPs(pid, 'lstart');
  try {
    // Field 22, counted after the command's name, which is in brackets and may itself hold spaces and brackets.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : fields[18];
  } catch {
    return undefined;
  }
}

function askPs(pid: number, column: string): string | undefined {
  const result = spawnSync('ps', ['-ww', '-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8' });
  return result.status === 0 ? result.stdout.trim() : undefined;
}
