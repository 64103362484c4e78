// How our tools run other programs. Needs nothing but Node.
import './node-version.mjs';
import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** The workspace's root: tools run there, called from any folder. */
export const root = path.join(import.meta.dirname, '..', '..');

const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Whether a module is the program that Node was asked to run. */
export function isMain(meta) {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === meta.filename;
}

/** The command that makes Node run an installed program, without a search of the PATH. */
export function installed(name) {
  return [process.execPath, realpathSync(path.join(root, 'node_modules', '.bin', name))];
}

/**
 * Runs a command in the workspace's root and resolves to its exit code (128 + n when signal n ended it, as shells say)
 * and, with `capture`, to everything it printed. It is ended together with us, and after `limitMs`.
 */
export async function run([program, ...args], { capture = false, cwd = root, limitMs, env } = {}) {
  const child = spawn(program, args, {
    cwd,
    stdio: ['ignore', ...(capture ? ['pipe', 'pipe'] : ['inherit', 'inherit'])],
    // Programs that start Node themselves find the one that we run on.
    env: { ...process.env, PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`, ...env },
  });
  const printed = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => printed.push(text));
  const limit = limitMs && setTimeout(() => child.kill('SIGKILL'), limitMs);
  const passOn = (signal) => child.kill(signal);
  for (const signal of ENDING_SIGNALS) process.on(signal, passOn);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => {
        resolve({ code: code ?? 128 + os.constants.signals[signal], output: printed.join('') });
      });
    });
  } finally {
    clearTimeout(limit);
    for (const signal of ENDING_SIGNALS) process.off(signal, passOn);
  }
}
