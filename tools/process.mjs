// How our tools run other programs. Needs nothing but Node.
import { spawn } from 'node:child_process';
import path from 'node:path';

/** The workspace's root: tools run there, whatever folder they are called from. */
export const root = path.join(import.meta.dirname, '..');

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program in the workspace's root with our terminal, passes signals on to it, and resolves to its exit code
 * (128 + n when a signal ended it, as shells say).
 */
export function run(command, args, options = {}) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options });
  return exitOf(child);
}

/** As run, for one of the installed Node programs. */
export function runInstalled(name, args, options) {
  return run(process.execPath, [installed(name), ...args], options);
}
