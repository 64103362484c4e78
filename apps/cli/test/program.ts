import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import path from 'node:path';

/** Path of the program, for hosts that start it themselves. */
export const MAIN = path.join(import.meta.dirname, '..', 'bin', 'aw.mjs');

/** The end of a program. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A run of the built program. */
export interface Run {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
}

/**
 * Starts the built program with this environment alone.
 * @param shell starts it as `"$@"`, with other streams or limits
 */
export function start(args: readonly string[], env: Record<string, string>, input = '', shell = 'exec "$@"'): Run {
  const run = open(args, env, shell);
  run.child.stdin.end(input);
  return run;
}

/** Starts the built program and leaves its input open. */
export function open(args: readonly string[], env: Record<string, string>, shell = 'exec "$@"'): Run {
  const { PATH = '' } = process.env;
  const child = spawn('/bin/sh', ['-c', shell, 'sh', process.execPath, MAIN, ...args], { env: { PATH, ...env } });
  const ended = new Promise<Ended>((resolve) => {
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    child.on('close', (code) => resolve({ code, out, err }));
  });
  return { child, ended };
}
