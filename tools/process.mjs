// How our tools run other programs. Needs nothing but Node.
import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** The workspace's root: tools run there, whatever folder they are called from. */
export const root = path.join(import.meta.dirname, '..');

/** Whether a module is the program that Node was asked to run. */
export function isMain(meta) {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === meta.filename;
}

/** The arguments that make Node run an installed program, without a search of the PATH. */
export function installed(name) {
  return [process.execPath, realpathSync(path.join(root, 'node_modules', '.bin', name))];
}

/**
 * Runs a program in the workspace's root and resolves to its exit code (128 + n when signal n ended it, as shells
 * say) and, with `capture`, to everything it printed. It is ended with us, and after `limitMs`.
 */
export function run([command, ...args], { capture = false, cwd = root, limitMs, env = {} } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      stdio: capture ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`, ...env },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => (output += text));
    const limit = limitMs && setTimeout(() => child.kill('SIGKILL'), limitMs);
    const stop = (signal) => child.kill(signal);
    for (const signal of ENDING) process.on(signal, stop);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(limit);
      for (const ending of ENDING) process.off(ending, stop);
      resolve({ code: code ?? 128 + os.constants.signals[signal], output });
    });
  });
}

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'];
