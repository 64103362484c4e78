import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually, freePort, noteStartedSystem } from '@agent-wallet/testing';

/** What `npm start` or `npm run processes` runs. */
type Program = 'main' | 'processes';

/** `npm start` runs one file; the other program is run as it is built. */
function fileOf(program: Program): string {
  return path.join(import.meta.dirname, '../..', program === 'main' ? 'bundle' : 'dist', `${program}.js`);
}

/** A running program of this app, as a person starts it. */
export interface Copy {
  readonly child: ChildProcess;
  readonly url: string;
  readonly adminUrl: string;
  readonly consoleUrl: string;
  readonly output: () => string;
}

/** Starts copies of one program of this app and sees to it that none is left. */
export class Copies {
  readonly #copies: Copy[] = [];
  readonly #directories: string[] = [];

  constructor(private readonly program: Program) {}

  /** A folder that `clean` removes. */
  async dataDir(): Promise<string> {
    const directory = await mkdtemp(path.join(tmpdir(), 'standalone-'));
    this.#directories.push(directory);
    return directory;
  }

  /** Starts a copy as its npm script does. @throws Error with what it printed when it ends instead of answering */
  async start(directory: string, environment: Record<string, string> = {}): Promise<Copy> {
    const copy = await this.attempt(directory, environment);
    if (copy.child.exitCode !== null) throw new Error(`it did not start: ${copy.output()}`);
    return copy;
  }

  /** Starts a copy, and waits until it says where it answers, or has ended. */
  async attempt(directory: string, environment: Record<string, string> = {}): Promise<Copy> {
    const parts = ['RPC', 'WS', 'AGGREGATOR', 'EXCHANGE', 'SMTP', 'ADMIN'].map((part) => `SANDBOX_${part}_PORT`);
    const names = ['PORT', 'CONSOLE_PORT', ...parts];
    const ports = Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, environment[name] ?? String(await freePort())])),
    ) as Record<string, string>;
    const child = spawn(process.execPath, [fileOf(this.program)], {
      env: {
        PATH: process.env['PATH'],
        TMPDIR: tmpdir(),
        DATA_DIR: directory,
        LOG_LEVEL: 'silent',
        ...environment,
        ...ports,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const copy = {
      child,
      url: `http://127.0.0.1:${ports['PORT']}`,
      adminUrl: `http://127.0.0.1:${ports['SANDBOX_ADMIN_PORT']}`,
      consoleUrl: `http://localhost:${ports['CONSOLE_PORT']}`,
      output: () => output,
    };
    // Before it is waited for: one that never says so is ended, too.
    this.#copies.push(copy);
    await eventually(
      async () => ({ output, exitCode: child.exitCode }),
      (seen) => seen.output.includes('Ctrl-C') || seen.exitCode !== null,
      60_000,
    );
    if (child.exitCode === null) noteStartedSystem(this.program === 'main' ? 'npm start' : 'npm run processes');
    return copy;
  }

  /** Ends every copy and removes every folder. */
  async clean(): Promise<void> {
    for (const { child } of this.#copies.splice(0)) await end(child, 'SIGTERM');
    const directories = this.#directories.splice(0);
    await Promise.all(directories.map((d) => rm(d, { recursive: true, force: true, maxRetries: 5 })));
  }
}

/** Sends a signal, and resolves with the exit code once the process has ended. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill(signal);
  return exited;
}
