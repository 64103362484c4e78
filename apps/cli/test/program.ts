import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { runCli } from '../src/run-cli.js';

/** Path of the program, for hosts that start it themselves. */
export const MAIN = path.join(import.meta.dirname, '..', 'bin', 'aw.mjs');

/** The end of a program. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A run of the program. */
export interface Run<Child = ChildProcessWithoutNullStreams> {
  readonly child: Child;
  readonly ended: Promise<Ended>;
}

/** Streams and signals of a run, in a process of its own or not. */
export type Ends = Pick<ChildProcessWithoutNullStreams, 'stdin' | 'stdout' | 'kill'>;

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

/**
 * Runs a command line in this process until it has its exit code: to start the program takes most of a test's time. Use
 * `start` where a test reads which requests are open, or a text that yargs prints itself.
 */
export function runHere(args: readonly string[], env: Record<string, string>): Promise<Ended> {
  return openHere(args, env).ended;
}

/** Starts a command line in this process and leaves its input open. Any signal stops it as SIGTERM stops the program. */
export function openHere(args: readonly string[], env: Record<string, string>): Run<Ends> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  let [out, err] = ['', ''];
  let stop = () => undefined as void;
  const surroundings = {
    env,
    out: (text: string) => {
      out += text;
      stdout.write(text);
    },
    written: () => Promise.resolve(undefined),
    columns: undefined,
    err: (text: string) => void (err += text),
    nowMs: () => Date.now(),
    onInterrupt: () => () => undefined,
    input: stdin,
    onStop: (stopped: () => void) => {
      stop = stopped;
      return () => undefined;
    },
  };
  const ended = runCli(args, surroundings).then((code) => {
    stdout.end();
    return { code, out, err };
  });
  const kill = () => {
    stop();
    return true;
  };
  return { child: { stdin, stdout, kill }, ended };
}
