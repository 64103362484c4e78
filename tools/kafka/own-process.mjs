// Whether a process is the broker of a data folder. Numbers of processes are used again: a pid file proves nothing.
import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The pid of the broker that runs on these settings; undefined when none does. */
export async function runningBroker({ pidPath, propertiesPath }) {
  const text = await readFile(pidPath, 'utf8').catch(() => '');
  const pid = Number(text);
  if (!Number.isInteger(pid) || pid < 2) return undefined;
  const command = await commandOf(pid);
  return command.includes('kafka.Kafka') && command.includes(propertiesPath) ? pid : undefined;
}

export async function notePid({ pidPath }, pid) {
  await writeFile(pidPath, `${pid}\n`);
}

export async function forgetPid({ pidPath }) {
  await rm(pidPath, { force: true });
}

/** A process's command line; empty for one that has ended, zombies included. */
async function commandOf(pid) {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
  } catch {
    const ps = promisify(execFile)('ps', ['-ww', '-o', 'args=', '-p', String(pid)]);
    return ps.then(({ stdout }) => stdout).catch(() => '');
  }
}
