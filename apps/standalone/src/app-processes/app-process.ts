import type { Environment } from '@agent-wallet/platform';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const START_TIMEOUT_MS = 60_000;

/** An app that runs as a process of its own. */
export interface AppProcess<Ready> {
  /** Message that it sent once it was ready. */
  readonly ready: Ready;
  readonly pid: number;
  /** Resolves with what ended it: an exit code or a signal. */
  readonly exited: Promise<number | NodeJS.Signals>;
  /** Sends a signal; SIGTERM stops it gracefully. */
  signal(signal: NodeJS.Signals): void;
}

/**
 * Starts an app's built or bundled `main.js` and waits until it says that it is ready. It leaves when this process does.
 * @throws Error when it ends or is not ready within a minute
 */
export async function startAppProcess<Ready>(app: string, environment: Environment): Promise<AppProcess<Ready>> {
  const [command, ...args] = commandOf(app);
  const child = spawn(command, args, {
    env: withoutAbsent(environment),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // A process group of its own: Ctrl-C in a terminal is for the parent, which stops the others in order.
    detached: true,
  });
  const exited = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? code ?? 0));
  });
  const ready = (await readiness(app, child, exited)) as Ready;
  return { ready, pid: child.pid!, exited, signal: (signal) => void child.kill(signal) };
}

/**
 * Returns the command of an app. The signer starts with core dumps off: a process cannot lower that limit of itself
 * from JavaScript.
 */
function commandOf(app: string): [string, ...string[]] {
  const node: [string, ...string[]] = [process.execPath, '--enable-source-maps', mainOf(app)];
  return app === 'signer' ? ['/bin/sh', '-c', 'ulimit -c 0; exec "$0" "$@"', ...node] : node;
}

function mainOf(app: string): string {
  const packageFile = createRequire(import.meta.url).resolve(`@agent-wallet/${app}/package.json`);
  const [bundled, built] = ['bundle', 'dist'].map((name) => path.join(path.dirname(packageFile), name, 'main.js'));
  // A build removes an older bundle.
  return existsSync(bundled!) ? bundled! : built!;
}

function readiness(app: string, child: ChildProcess, exited: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${app} was not ready in time`));
    }, START_TIMEOUT_MS);
    child.once('message', (message) => {
      clearTimeout(timer);
      resolve(message);
    });
    void exited.then((how) => {
      clearTimeout(timer);
      reject(new Error(`${app} ended before it was ready (${String(how)})`));
    });
  });
}

function withoutAbsent(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
