import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';

const MAIN = path.join(import.meta.dirname, '..', 'bin', 'aw.mjs');

/** The end of a program. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A run of the built program. */
export interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Starts the built program with this environment alone. */
export function start(args: readonly string[], env: Record<string, string>, input = ''): Run {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [MAIN, ...args], { env: { PATH, ...env } });
  const ended = new Promise<Ended>((resolve) => {
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    child.on('close', (code) => resolve({ code, out, err }));
  });
  child.stdin.end(input);
  return { child, ended };
}
